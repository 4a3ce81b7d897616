"use strict";

// Adds a "Copy" button to each [data-copy], if the browser supports it.
(function () {
  if (!navigator.clipboard) return;
  for (const box of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(box.querySelector("code").textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Select and copy it";
      }
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    box.append(button);
  }
})();
