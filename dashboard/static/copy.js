"use strict";

// Adds a "Copy" button to each [data-copy], if the browser supports it.
(function () {
  if (!navigator.clipboard) return;
  for (const box of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    const said = document.createElement("span");
    const code = box.querySelector("code");
    const label = box.querySelector("pre")?.ariaLabel || code.textContent;
    button.type = "button";
    said.className = "unseen";
    said.ariaLive = "polite";

    function show(word) {
      button.textContent = word;
      button.ariaLabel = `${word}: ${label}`;
      said.textContent = word === "Copy" ? "" : word;
    }

    show("Copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        show("Copied");
      } catch {
        show("Select and copy it");
      }
      setTimeout(() => show("Copy"), 2000);
    });
    box.append(button, said);
  }
})();
