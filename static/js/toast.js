// Toasts: Django's messages are already in the page; later ones come as HX-Trigger {"toast": {...}} or from here
// when a request fails. tone: good, bad, warn, info; undo_url is POSTed by its button; seconds is how long it stays.
const place = document.getElementById("toasts");
const words = place?.dataset || {};

function dismissable(item, seconds) {
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "✕";
  close.setAttribute("aria-label", words.textDismiss);
  close.addEventListener("click", () => item.remove());
  item.append(close);
  if (!seconds) return; // errors stay until dismissed
  let timer = setTimeout(() => item.remove(), seconds * 1000);
  item.addEventListener("pointerenter", () => clearTimeout(timer));
  item.addEventListener("pointerleave", () => (timer = setTimeout(() => item.remove(), seconds * 1000)));
}

function undoButton(item, toast) {
  for (const older of place.querySelectorAll(".toast-undo")) delete older.dataset.key; // the key undoes the last one
  const button = document.createElement("button");
  button.type = "button";
  button.className = "toast-undo";
  button.textContent = toast.undo_label || words.textUndo;
  button.dataset.key = "u";
  button.dataset.keyLabel = words.textUndo;
  button.addEventListener("click", () => {
    item.remove();
    globalThis.htmx.ajax("POST", toast.undo_url, { target: toast.undo_target || "body", swap: toast.undo_swap || "none" });
  });
  item.append(button);
}

function show(toast) {
  const item = document.getElementById("toast-template").content.firstElementChild.cloneNode(true);
  const tone = toast.tone || "info";
  item.dataset.tone = tone;
  for (const icon of item.querySelectorAll("[data-icon]")) {
    if (icon.dataset.icon === tone) icon.hidden = false;
    else icon.remove();
  }
  item.querySelector(".toast-text").textContent = toast.text;
  if (toast.undo_url) undoButton(item, toast);
  dismissable(item, toast.seconds ?? (tone === "bad" ? 0 : 8));
  place.append(item);
}

if (place) {
  for (const item of place.querySelectorAll(".toast-item")) dismissable(item, item.dataset.tone === "bad" ? 0 : 10);
  document.addEventListener("toast", (event) => show(event.detail));
  document.addEventListener("htmx:sendError", () => show({ tone: "bad", text: words.textOffline }));
  document.addEventListener("htmx:timeout", () => show({ tone: "bad", text: words.textOffline }));
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status === 429) return; // the answer brings its own words
    const refused = [401, 403, 404, 409].includes(event.detail.xhr.status);
    show({ tone: "bad", text: refused ? words.textRefused : words.textFailed });
  });
}
