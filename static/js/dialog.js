// Dialogs and menus: what HTML does not do by itself yet.
// - data-dialog="id" / data-dialog-close stand in for commandfor where a browser lacks it
// - a click on the backdrop closes; data-dialog-auto opens when it arrives in a swap
// - details menus close on Escape, on a click elsewhere, and when focus leaves
const commands = "commandForElement" in HTMLButtonElement.prototype;

document.addEventListener("click", (event) => {
  const target = event.target;
  if (!(target instanceof Element)) return;
  if (!commands) {
    const opener = target.closest("[commandfor]");
    const dialog = opener && document.getElementById(opener.getAttribute("commandfor"));
    if (dialog instanceof HTMLDialogElement) {
      if (opener.getAttribute("command") === "close") dialog.close();
      else if (!dialog.open) dialog.showModal();
    }
  }
  if (target instanceof HTMLDialogElement && target.open) {
    const box = target.getBoundingClientRect();
    const inside =
      event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) target.close();
  }
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(target) || target.closest("[commandfor]")) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
    event.preventDefault();
  }
});

document.addEventListener("focusout", (event) => {
  const menu = event.target instanceof Element && event.target.closest("details[data-menu][open]");
  if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
});

function openAutomatic(root) {
  const dialog = root.matches?.("dialog[data-dialog-auto]") ? root : root.querySelector?.("dialog[data-dialog-auto]");
  if (dialog && !dialog.open) dialog.showModal();
}

document.addEventListener("htmx:load", (event) => openAutomatic(event.detail.elt));
openAutomatic(document);
