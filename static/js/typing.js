// Shortcuts rest while somebody types. Two keys lead out of a field of form[data-typing-send]: Escape leaves the
// field, so that the shortcuts work again, and Ctrl+Enter (⌘ Enter) sends the form by its first button.
document.addEventListener("keydown", (event) => {
  if (document.body.dataset.shortcuts === "off" || event.isComposing || event.defaultPrevented) return;
  const field = event.target;
  const form = field instanceof HTMLElement && field.closest("form[data-typing-send]");
  if (!form || document.querySelector("dialog[open]:modal")) return;
  if (event.key === "Escape" && field.matches("input, textarea, select")) {
    field.blur();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.querySelector("button[name=act]:not([disabled])")?.click();
  }
});
