// On a phone the columns of triage and desk are steps: data-goto-step="form" shows that one and brings it to the top.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("[data-goto-step]");
  const place = link?.closest("[data-step]");
  if (!place) return;
  event.preventDefault();
  place.dataset.step = link.dataset.gotoStep;
  for (const other of place.querySelectorAll("[data-goto-step]")) {
    other.toggleAttribute("aria-current", other.dataset.gotoStep === place.dataset.step);
    if (other.hasAttribute("aria-current")) other.setAttribute("aria-current", "step");
  }
  scrollTo({ top: 0 });
});
