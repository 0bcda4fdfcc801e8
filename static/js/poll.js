// Live parts by polling a version: data-poll="URL" data-version="7" [data-interval="2000"].
// 204 means nothing new; otherwise the answer replaces the element. Focus, selection and scroll stay where they were;
// an element somebody is typing in is left alone until they are done. A hidden tab does not ask.
const timers = new WeakMap();
const JITTER = 0.25;
const SLOWEST_MS = 30_000;

function wait(element, failures = 0) {
  const base = Number(element.dataset.interval || 2000) * 2 ** Math.min(failures, 5);
  const delay = Math.min(base, SLOWEST_MS) * (1 - JITTER + 2 * JITTER * Math.random());
  clearTimeout(timers.get(element));
  timers.set(element, setTimeout(() => ask(element, failures), delay));
}

function typingIn(element) {
  const active = document.activeElement;
  return element.contains(active) && active.matches("input:not([type=radio], [type=checkbox]), textarea, select");
}

async function ask(element, failures) {
  if (!element.isConnected) return;
  if (document.hidden || typingIn(element) || element.querySelector("details[data-menu][open]")) return wait(element, failures);
  const url = new URL(element.dataset.poll, location.href);
  url.searchParams.set("version", element.dataset.version || "");
  let answer;
  try {
    answer = await fetch(url, { headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" });
  } catch {
    return wait(element, failures + 1);
  }
  if (answer.status === 204) return wait(element);
  if (answer.redirected || answer.status === 286 || answer.status === 401 || answer.status === 403 || answer.status === 404) return; // over
  if (!answer.ok) return wait(element, failures + 1);
  const version = answer.headers.get("X-Version");
  const html = await answer.text();
  if (!element.isConnected) return;
  if (typingIn(element)) return wait(element);
  replace(element, html, version);
}

/** The way back to an element after a swap: by id, else by link. */
function pathTo(active) {
  if (active.id) return `#${CSS.escape(active.id)}`;
  const href = active.getAttribute("href");
  return href ? `a[href="${CSS.escape(href)}"]` : null;
}

function replace(element, html, version) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  const [fresh, ...others] = template.content.children;
  if (!fresh) return wait(element);
  if (version) fresh.dataset.version = version;
  put(element, fresh);
  // What else the answer brings replaces what has the same id.
  for (const other of others) {
    const old = other.id && document.getElementById(other.id);
    if (old) put(old, other);
  }
  fresh.dispatchEvent(new CustomEvent("poll:updated", { bubbles: true }));
  start(fresh);
}

/** Swap in place: focus and scroll stay where they were. */
function put(old, fresh) {
  const active = document.activeElement;
  const path = old.contains(active) ? pathTo(active) : null;
  const scrolled = [old, ...old.querySelectorAll("[data-keep-scroll]")].map((e) => [e.id, e.scrollTop]);
  old.replaceWith(fresh);
  globalThis.htmx?.process(fresh);
  for (const [id, top] of scrolled) {
    const place = id ? document.getElementById(id) : fresh;
    if (place) place.scrollTop = top;
  }
  if (path) fresh.querySelector(path)?.focus({ preventScroll: true });
}

function start(root) {
  const found = [...(root.querySelectorAll?.("[data-poll]") || [])];
  if (root.matches?.("[data-poll]")) found.push(root);
  for (const element of found) if (!timers.has(element)) wait(element);
}

start(document);
document.addEventListener("htmx:load", (event) => start(event.detail.elt));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) for (const element of document.querySelectorAll("[data-poll]")) ask(element, 0);
});
