// Drafts: form[data-draft-url] is POSTed 800 ms after the last change; [data-draft-state] inside says how it went.
// One save at a time; what changed meanwhile is saved next. Without an answer it is tried again; a refusal (a lost
// lease, an ended session) waits for the next change. The text stays in the form either way.
const PAUSE_MS = 800;
const RETRY_MS = 5000;
const forms = new WeakMap();

function tell(form, state) {
  const place = form.querySelector("[data-draft-state]");
  if (!place) return;
  place.dataset.state = state;
  const key = `text${state[0].toUpperCase()}${state.slice(1)}`;
  const time = new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hour12: false });
  place.querySelector("[data-draft-words]").textContent = (place.dataset[key] || "").replace("{time}", time);
}

async function save(form) {
  const draft = forms.get(form);
  if (!form.isConnected || draft.sending) return;
  draft.sending = true;
  draft.changed = false;
  tell(form, "saving");
  let outcome = "failed";
  try {
    const token = form.querySelector("[name=csrfmiddlewaretoken]")?.value;
    const answer = await fetch(form.dataset.draftUrl, {
      method: "POST",
      body: new FormData(form),
      headers: { "HX-Request": "true", ...(token && { "X-CSRFToken": token }) },
      credentials: "same-origin",
      keepalive: true,
    });
    if (answer.ok && !answer.redirected) outcome = "saved";
    else if (answer.status < 500 && answer.status !== 429) outcome = "refused";
    form.dispatchEvent(new CustomEvent("draft:answered", { bubbles: true, detail: { status: answer.status } }));
  } catch {
    // offline: stays "failed"
  }
  draft.sending = false;
  tell(form, outcome);
  if (draft.changed) later(form);
  else if (outcome === "failed") later(form, RETRY_MS);
}

function later(form, pause = PAUSE_MS) {
  const draft = forms.get(form) || { sending: false, changed: false, timer: 0 };
  forms.set(form, draft);
  draft.changed = true;
  clearTimeout(draft.timer);
  draft.timer = setTimeout(() => save(form), pause);
}

function changed(event) {
  const form = event.target.form;
  if (form?.matches("[data-draft-url]")) later(form);
}

document.addEventListener("input", changed);
document.addEventListener("change", changed);
// Leaving the page or sending the form: what waits goes out now, or is not needed any more.
document.addEventListener("submit", (event) => clearTimeout(forms.get(event.target)?.timer));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return;
  for (const form of document.querySelectorAll("form[data-draft-url]")) {
    const draft = forms.get(form);
    if (draft?.changed) {
      clearTimeout(draft.timer);
      save(form);
    }
  }
});
