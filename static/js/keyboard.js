// Shortcuts. data-key="j" clicks its element (links, buttons, choices) or focuses it (fields); data-key="g q" is a
// sequence. They rest while somebody types, with Ctrl, Alt or Meta, and where body has data-shortcuts="off".
// busy.js holds keys back while an answer is on its way and hands them over by the event keyboard:press.
const SEQUENCE_MS = 1200;
const CLICKED_INPUTS = ["radio", "checkbox", "button", "submit"];
let prefix = "";
let prefixTimer = 0;

const off = () => document.body.dataset.shortcuts === "off";

function typing(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  return target.matches("input") && !CLICKED_INPUTS.includes(target.type);
}

/** data-key-when="SELECTOR": the key is this element's only while the page has something like that. */
function applies(element) {
  const when = element.dataset.keyWhen;
  return !when || document.querySelector(when) !== null;
}

/** Elements with a key that can be used now: inside the open dialog if there is one, else outside closed ones. */
function candidates() {
  const open = [...document.querySelectorAll("dialog[open]")].filter((d) => d.matches(":modal")).pop();
  return [...(open || document).querySelectorAll("[data-key]")].filter(
    (element) => !element.matches(":disabled") && (open || !element.closest("dialog")) && element.getAttribute("aria-disabled") !== "true" && applies(element),
  );
}

function use(element) {
  const field = element.matches("textarea, select") || (element.matches("input") && !CLICKED_INPUTS.includes(element.type));
  if (field) {
    element.focus();
    element.select?.();
  } else {
    if (element.matches("input")) element.focus({ preventScroll: true });
    element.click();
  }
}

function remember(key) {
  prefix = key;
  clearTimeout(prefixTimer);
  prefixTimer = setTimeout(() => (prefix = ""), SEQUENCE_MS);
}

document.addEventListener("keydown", (event) => {
  if (off() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (typing(event.target)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.repeat && key !== "j" && key !== "k") return;
  if (key === "?") {
    const help = document.querySelector("[data-key-dialog]");
    if (help && !help.open) {
      event.preventDefault();
      help.showModal();
    }
    return;
  }
  if (press(key)) event.preventDefault();
});

/** Use what has this key, or begin a sequence; true if it was used. */
function press(key) {
  const elements = candidates();
  const wanted = (prefix ? `${prefix} ${key}` : key).toLowerCase();
  const found = elements.find((element) => element.dataset.key.toLowerCase() === wanted);
  const starts = elements.some((element) => element.dataset.key.startsWith(`${wanted} `));
  prefix = "";
  if (found) {
    use(found);
  } else if (starts) {
    remember(wanted);
  }
  return Boolean(found);
}

document.addEventListener("keyboard:press", (event) => press(event.detail));

/** Fill the help each time it opens: the page may have changed since. */
function list(help) {
  const lines = new Map();
  for (const element of document.querySelectorAll("[data-key][data-key-label]")) {
    if (applies(element) && !lines.has(element.dataset.key)) lines.set(element.dataset.key, element.dataset.keyLabel);
  }
  const place = help.querySelector("[data-key-list]");
  const rows = document.querySelector("[data-rows]");
  if (rows) lines.set("j k", rows.dataset.rowsLabel);
  lines.set("?", place.dataset.textHelp);
  place.replaceChildren(
    ...[...lines].map(([keys, label]) => {
      const line = document.createElement("li");
      const words = document.createElement("span");
      words.textContent = label;
      const caps = document.createElement("span");
      caps.className = "keys";
      caps.append(
        ...keys.split(" ").map((key) => {
          const cap = document.createElement("kbd");
          cap.textContent = key;
          return cap;
        }),
      );
      line.append(words, caps);
      return line;
    }),
  );
}

const help = document.querySelector("[data-key-dialog]");
help?.addEventListener("beforetoggle", () => list(help));
