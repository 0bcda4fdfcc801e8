// j and k walk a list, Enter opens: data-rows on the list, data-row on its links.
// Moving keeps the page's selection (aria-current) and only moves the focus; opening is the link's own act.
const list = () => document.querySelector("[data-rows]");

function busy(event) {
  const target = event.target;
  return (
    document.body.dataset.shortcuts === "off" ||
    event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey ||
    document.querySelector("dialog[open]:modal") ||
    (target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])")))
  );
}

document.addEventListener("keydown", (event) => {
  const step = { j: 1, k: -1 }[event.key];
  if (!step || busy(event)) return;
  const rows = [...(list()?.querySelectorAll("[data-row]") || [])];
  if (!rows.length) return;
  event.preventDefault();
  let at = rows.indexOf(document.activeElement);
  if (at < 0) at = rows.findIndex((row) => row.hasAttribute("aria-current"));
  const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
});
