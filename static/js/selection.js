// Select words in the post and they become the claim: data-select-fragment="#id_claim" around the post text.
// Nothing is overwritten without a trace: Ctrl+Z in the field brings the former words back.
document.addEventListener("pointerup", (event) => {
  const source = event.target instanceof Element && event.target.closest("[data-select-fragment]");
  if (source) setTimeout(() => take(source)); // the selection is final only after the event
});

document.addEventListener("keyup", (event) => {
  if (!event.shiftKey) return;
  const anchor = getSelection().anchorNode?.parentElement;
  const source = anchor?.closest("[data-select-fragment]");
  if (source) take(source);
});

function take(source) {
  const selection = getSelection();
  const words = selection.toString().replace(/\s+/g, " ").trim();
  const field = document.querySelector(source.dataset.selectFragment);
  if (words.length < 4 || !field || field.disabled || field.readOnly) return;
  if (!source.contains(selection.anchorNode) || !source.contains(selection.focusNode)) return;
  const most = Number(field.getAttribute("maxlength")) || Infinity;
  field.setRangeText([...words].slice(0, most).join(""), 0, field.value.length, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
