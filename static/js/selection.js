// Select words in the post and they become the claim: data-select-fragment="#id_claim" around the post text.
// data-select-also="#id_fragment" names a field that keeps the words as they stand in the post. A claim that
// somebody wrote in their own words is never overwritten: they may select words to copy them.
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

const put = (field, words) => {
  const most = Number(field.getAttribute("maxlength")) || Infinity;
  field.value = [...words].slice(0, most).join("");
};

function take(source) {
  const selection = getSelection();
  const words = selection.toString().replace(/\s+/g, " ").trim();
  const field = document.querySelector(source.dataset.selectFragment);
  const also = source.dataset.selectAlso && document.querySelector(source.dataset.selectAlso);
  if (words.length < 4 || !field || field.matches(":disabled") || field.readOnly) return;
  if (!source.contains(selection.anchorNode) || !source.contains(selection.focusNode)) return;
  const own = field.value.trim() && field.value !== field.dataset.selected && field.value !== also?.value;
  if (also) put(also, words);
  if (own) return;
  put(field, words);
  field.dataset.selected = field.value;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
