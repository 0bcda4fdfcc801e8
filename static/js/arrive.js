// When a swap brings a new item, the page goes there: on a phone its step is shown, and the focus moves to the
// element marked data-arrive (the title, the errors, the news), so that a screen reader reads on from it.
// A refusal that is a page of its own (409, 403 with the item) is shown like any other answer.
const PAGES = [403, 409];

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, target } = event.detail;
  if (target?.id === "work" && PAGES.includes(xhr.status) && xhr.responseText.includes('id="work"')) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
});

/** A phone shows one step at a time; its links say which. */
function go(place, step) {
  place.dataset.step = step;
  for (const link of place.querySelectorAll("[data-goto-step]")) {
    if (link.dataset.gotoStep === step) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
}

/** The open item's row comes into sight; the list scrolls no further than that. */
function showRow() {
  document.querySelector("#queue [data-row][aria-current]")?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.id === "queue") showRow();
  const work = event.detail.elt;
  if (work.id !== "work") return;
  const place = work.closest(".triage");
  if (place) go(place, work.dataset.workStep);
  if (document.querySelector("dialog[open]:modal")) return;
  let goal = work.querySelector("[data-arrive]");
  if (goal && place && !goal.checkVisibility()) {
    // A phone shows one column: go where the goal is, or stay with the list when nothing is open.
    if (work.dataset.workStep === "list") goal = document.getElementById("queue-title");
    else go(place, goal.closest(".triage-form") ? "form" : "item");
  }
  goal?.focus({ preventScroll: true });
  if (goal?.matches("h1, h2")) scrollTo({ top: 0 });
  else goal?.scrollIntoView({ block: "nearest" });
});

showRow();
