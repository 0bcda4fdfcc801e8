// Character counters: data-counter-for="id" shows what is left of that field's maxlength.
// Counted in code points, as the server counts, not in UTF-16 units.
const NEAR = 0.9;

function show(counter) {
  const field = document.getElementById(counter.dataset.counterFor);
  const most = Number(field?.getAttribute("maxlength"));
  if (!most) return;
  const used = [...field.value].length;
  counter.textContent = `${used.toLocaleString(document.documentElement.lang)} / ${most.toLocaleString(document.documentElement.lang)}`;
  counter.dataset.state = used > most ? "over" : used >= most * NEAR ? "near" : "fine";
}

function showAll(root = document) {
  for (const counter of root.querySelectorAll("[data-counter-for]")) show(counter);
}

document.addEventListener("input", (event) => {
  const counter = event.target.id && document.querySelector(`[data-counter-for="${CSS.escape(event.target.id)}"]`);
  if (counter) show(counter);
});
document.addEventListener("htmx:load", (event) => showAll(event.detail.elt));
showAll();
