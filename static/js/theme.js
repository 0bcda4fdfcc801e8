// Light, dark, or what the system says: decided before the first paint, so this file blocks.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem("theme") || "auto";
    } catch {
      return "auto"; // storage is refused: follow the system
    }
  };
  const apply = () => {
    const choice = chosen();
    root.dataset.bsTheme = choice === "auto" ? (system.matches ? "dark" : "light") : choice;
    for (const button of document.querySelectorAll("[data-theme-choice]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === choice));
    }
  };
  root.classList.add("js");
  apply();
  system.addEventListener("change", apply);
  addEventListener("storage", apply);
  document.addEventListener("DOMContentLoaded", apply);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-choice]");
    if (!button) return;
    try {
      localStorage.setItem("theme", button.dataset.themeChoice);
    } catch {
      // storage is refused: nothing to remember
    }
    apply();
  });
})();
