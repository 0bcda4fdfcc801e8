// Media of posts in review: blurred, then grey, then colour, each by the person's own choice. The same step again
// covers them; leaving the page brings back how they start. Covering stops what plays; sound starts by an act only.
const steps = (figure) => [...figure.querySelectorAll("[data-reveal]")];
const figures = () => document.querySelectorAll(".media[data-start]");

function show(figure, step) {
  for (const input of steps(figure)) input.checked = input.value === step;
  settle(figure);
}

function settle(figure) {
  figure.dataset.shown = steps(figure).find((input) => input.checked)?.value || "blurred";
  for (const player of figure.querySelectorAll("video, audio")) {
    player.muted = true;
    if (figure.dataset.shown === "blurred") player.pause();
  }
}

const figureOf = (target) => target instanceof HTMLInputElement && target.matches("[data-reveal]") && target.closest(".media");

document.addEventListener("change", (event) => {
  const figure = figureOf(event.target);
  if (figure) settle(figure);
});

// A checked step that is chosen again changes nothing by itself: it is how one covers with the same key.
document.addEventListener("click", (event) => {
  const figure = figureOf(event.target);
  if (!figure) return;
  const before = figure.dataset.shown || figure.dataset.start;
  if (event.target.value === before && before !== "blurred") setTimeout(() => show(figure, "blurred"));
});

const leave = () => {
  for (const figure of figures()) show(figure, figure.dataset.start);
};
document.addEventListener("visibilitychange", () => document.hidden && leave());
addEventListener("pagehide", leave);
