// Media are covered until asked; covering them again stops what plays. Sound starts only by the person's own act.
document.addEventListener("change", (event) => {
  const toggle = event.target;
  if (!(toggle instanceof HTMLInputElement) || !toggle.matches("[data-reveal]")) return;
  for (const player of toggle.closest(".media").querySelectorAll("video, audio")) {
    player.muted = true;
    if (!toggle.checked) player.pause();
  }
});
