// A lease is renewed by activity, not by an open tab: typing, clicking or moving through the item with the keyboard
// POSTs data-renew, at most twice a minute. The answer (the lease component) replaces the element; also when the
// lease was lost, so that the page says so while the draft stays.
const EVERY_MS = 30_000;
let last = Date.now();

async function renew(lease) {
  last = Date.now();
  const token = JSON.parse(document.body.getAttribute("hx-headers") || "{}")["X-CSRFToken"];
  let answer;
  try {
    answer = await fetch(lease.dataset.renew, {
      method: "POST",
      headers: { "HX-Request": "true", "X-CSRFToken": token },
      credentials: "same-origin",
    });
  } catch {
    return; // offline: the countdown goes on and the next activity tries again
  }
  if (answer.redirected) return; // signed out: the next act says so
  const html = (await answer.text()).trim();
  if (!(answer.ok || answer.status === 409) || !html.startsWith("<") || !lease.isConnected) return;
  const template = document.createElement("template");
  template.innerHTML = html;
  const fresh = template.content.firstElementChild;
  lease.replaceWith(fresh);
  fresh.dispatchEvent(new CustomEvent(answer.ok ? "lease:renewed" : "lease:lost", { bubbles: true }));
}

function active() {
  const lease = document.querySelector(".lease[data-mine][data-renew]");
  if (lease && Date.now() - last >= EVERY_MS) renew(lease);
}

for (const kind of ["input", "pointerdown", "keydown"]) document.addEventListener(kind, active, { passive: true });
