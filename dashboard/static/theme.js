"use strict";

// The choice between the light, dark and system theme. It is stored in a cookie, so that the server
// sends the page in that theme without a flash. Without this script, the buttons send a form.
(function () {
  const YEAR_S = 365 * 86400;
  const root = document.documentElement;
  const form = document.getElementById("theme");

  function choose(theme) {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `arena_theme=${theme}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
    for (const button of form.querySelectorAll("button")) button.setAttribute("aria-pressed", button.value === theme);
    document.dispatchEvent(new Event("theme"));
  }

  if (!form) return;
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    choose(event.submitter.value);
  });
  document.addEventListener("theme:next", function () {
    const buttons = [...form.querySelectorAll("button")];
    const at = buttons.findIndex((button) => button.getAttribute("aria-pressed") === "true");
    choose(buttons[(at + 1) % buttons.length].value);
  });
})();
