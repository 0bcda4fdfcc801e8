// A form that is on its way is not sent again by a second click; its button says that it is busy. The server carries
// the same form out once.
const PATIENCE_MS = 20_000; // then it may be sent again: the server knows whether it was carried out

function done(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return; // htmx sends it
  if ("sent" in form.dataset) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "";
  event.submitter?.setAttribute("aria-busy", "true");
  setTimeout(() => done(form), PATIENCE_MS);
});

addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach(done));

// A page that stays counts what it did: the next act is another one, a try again after a failure is the same.
let did = 0;
document.addEventListener("htmx:configRequest", (event) => {
  if (did && event.detail.verb === "post") event.detail.parameters.again = String(did);
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful && event.detail.requestConfig?.verb === "post") did += 1;
});
