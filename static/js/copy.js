// data-copy="#id" copies that field's value and says so for two seconds.
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-copy]");
  const field = button && document.querySelector(button.dataset.copy);
  if (!field) return;
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.select(); // the clipboard is refused (no https): leave it selected for Ctrl+C
    return;
  }
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, 2000);
});
