"use strict";

// The list of bots in the form for a tournament: search, and select many at once. Also prevents
// sending the form twice by a second click.
(function () {
  const form = document.querySelector(".tournament-form");
  const list = form.querySelector(".picker");
  const tools = form.querySelector(".picker-tools");
  form.querySelector("[formaction]").hidden = true; // the preview updates automatically

  if (list) {
    const lines = Array.from(list.querySelectorAll("li"));
    const box = (line) => line.querySelector("input");
    const search = tools.querySelector("input");
    const wanted = {
      shown: (line) => !line.hidden || box(line).checked,
      connected: (line) => box(line).dataset.state === "connected" || box(line).checked,
      none: () => false,
    };
    search.addEventListener("input", (event) => {
      event.stopPropagation(); // the tournament does not change
      const text = search.value.trim().toLowerCase();
      for (const line of lines) line.hidden = !box(line).value.toLowerCase().includes(text);
    });
    search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
    tools.addEventListener("click", (event) => {
      const which = wanted[event.target.dataset.tick];
      if (!which) return;
      for (const line of lines) box(line).checked = which(line);
      list.dispatchEvent(new Event("input", { bubbles: true }));
    });
    tools.hidden = false;
  }

  // The preview brings the errors of the fields.
  document.addEventListener("htmx:afterSettle", function () {
    for (const error of form.querySelectorAll(".field-error")) {
      const wrong = error.textContent.trim() !== "";
      error.closest(".field")?.classList.toggle("field-wrong", wrong);
      for (const field of form.querySelectorAll(`[aria-describedby~="${error.id}"]`)) {
        if (wrong) field.setAttribute("aria-invalid", "true");
        else field.removeAttribute("aria-invalid");
      }
    }
  });

  const buttons = () => form.querySelectorAll("button[type=submit]");
  form.addEventListener("submit", () => setTimeout(() => buttons().forEach((button) => (button.disabled = true))));
  window.addEventListener("pageshow", function () {
    buttons().forEach((button) => (button.disabled = false));
    // On a reload or on the way back, the browser may have filled in the fields.
    const [visit] = performance.getEntriesByType("navigation");
    if (visit && visit.type !== "navigate") form.dispatchEvent(new Event("input", { bubbles: true }));
  });
})();
