// While an answer for #work is on its way, the page says so (data-busy on its [data-busy-text] container), and keys
// that are pressed wait with the item that was on the screen. When the answer is there, they are used if that item
// is still open; otherwise they are told, never used on another one. A key pressed in the moment after another item
// appeared was meant for the one before, too.
const MOMENT_MS = 200; // nobody reads an item and decides in less
const MOST_WAITING = 8;
const waiting = [];
let requests = 0;
let changedAt = -Infinity;
let before = "";

const item = () => document.getElementById("work")?.dataset.item || "";
const place = () => document.querySelector("[data-busy-text]");

const isBusy = () => requests > 0;

/** Tell that a key was not used, because another item is on the screen than when it was meant. */
function refuse(...keys) {
  const words = place()?.dataset.busyText || "";
  const text = words.replace("{keys}", keys.join(", "));
  document.dispatchEvent(new CustomEvent("toast", { detail: { tone: "warn", text } }));
}

function mark() {
  place()?.toggleAttribute("data-busy", isBusy());
  document.getElementById("work")?.setAttribute("aria-busy", String(isBusy()));
}

function goOn() {
  const late = [];
  while (waiting.length && !isBusy()) {
    const pressed = waiting.shift();
    if (pressed.item === item()) document.dispatchEvent(new CustomEvent("keyboard:press", { detail: pressed.key }));
    else late.push(pressed.key);
  }
  if (late.length) refuse(...late);
}

const isForWork = (event) => event.detail.target?.id === "work" || event.detail.requestConfig?.target?.id === "work";

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.defaultPrevented || !isForWork(event)) return;
  if (!isBusy()) before = item();
  requests += 1;
  mark();
});

document.addEventListener("htmx:afterRequest", (event) => {
  if (!isBusy() || !isForWork(event)) return;
  requests -= 1;
  mark();
  if (isBusy()) return;
  if (before && item() !== before) changedAt = performance.now();
  goOn();
});

const isTyping = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])"));

// Before keyboard.js, which leaves alone what is prevented here.
document.addEventListener(
  "keydown",
  (event) => {
    if (!place() || document.body.dataset.shortcuts === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.repeat || event.isComposing || isTyping(event.target)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const meant = [...document.querySelectorAll("[data-key]")].filter((element) => element.dataset.key.toLowerCase() === key);
    if (!meant.length) return;
    if (isBusy()) {
      event.preventDefault();
      if (waiting.length < MOST_WAITING) waiting.push({ key, item: item() });
    } else if (performance.now() - changedAt < MOMENT_MS && meant.some((element) => element.closest("#work"))) {
      event.preventDefault();
      refuse(key);
    }
  },
  { capture: true },
);
