// Time left until data-until, once a second: data-state becomes "soon" (last 2 minutes) and "over".
// At the end `countdown:over` is fired, so that a page can say what it means.
const SOON_SECONDS = 120;

function tick() {
  for (const element of document.querySelectorAll("time[data-until]")) {
    const left = Math.max(Math.round((Date.parse(element.dataset.until) - Date.now()) / 1000), 0);
    const hours = Math.floor(left / 3600);
    const minutes = Math.floor((left % 3600) / 60);
    const seconds = String(left % 60).padStart(2, "0");
    const text = hours ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
    if (element.textContent !== text) element.textContent = text;
    const state = left === 0 ? "over" : left <= SOON_SECONDS ? "soon" : "running";
    if (state === element.dataset.state) continue;
    const before = element.dataset.state;
    element.dataset.state = state;
    if (state === "over" && before) element.dispatchEvent(new CustomEvent("countdown:over", { bubbles: true }));
  }
}

tick();
setInterval(tick, 1000);
