"use strict";

// On a narrow screen navigation scrolls sideways: it starts with the current page in sight.
for (const here of document.querySelectorAll(":is(.top nav:not(.account), .tabs) [aria-current]")) {
  here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 40;
}

// Keyboard shortcuts on every page: / searches, ? lists them, T changes the theme, G and a letter
// open a page. They can be switched off, for users of speech input. Shortcuts of a page come first.
(function () {
  const OFF = "arena-keys-off";
  const GO_MS = 1500; // for the letter after G
  const dialog = document.getElementById("keys");
  if (!dialog) return;
  const search = document.getElementById("search-box");
  const boxes = document.querySelectorAll("#all-keys, #keys-on"); // one on pages with own shortcuts
  const here = document.getElementById("keys-here");
  let going = -Infinity; // when G was pressed

  function on() {
    try {
      return !localStorage.getItem(OFF);
    } catch {
      return true;
    }
  }

  function open() {
    const own = document.querySelector("main dl.keys");
    here.replaceChildren();
    if (own) {
      const title = document.createElement("h3");
      title.textContent = "On this page";
      here.append(title, own.cloneNode(true));
    }
    dialog.showModal();
  }

  function go(key) {
    if (key === "h") location.href = document.querySelector("a.home").href;
    const place = dialog.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (place) location.href = place.dataset.go;
    return key === "h" || place !== null;
  }

  function pressed(key, now) {
    if (now - going < GO_MS) {
      going = -Infinity;
      return go(key);
    }
    if (key === "g") going = now;
    else if (key === "/") search.focus();
    else if (key === "?") open();
    else if (key === "t") document.dispatchEvent(new Event("theme:next"));
    else return false;
    return true;
  }

  // On the window, so that listeners of pages on the document come first.
  window.addEventListener("keydown", function (event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (document.querySelector("dialog[open]") || !on() || event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (pressed(event.key.toLowerCase(), performance.now())) event.preventDefault();
  });

  search?.addEventListener("keydown", (event) => event.key === "Escape" && search.blur());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  for (const button of document.querySelectorAll("[data-keys]")) button.addEventListener("click", open);
  for (const box of boxes) {
    box.checked = on();
    box.addEventListener("change", function () {
      for (const other of boxes) other.checked = box.checked;
      try {
        if (box.checked) localStorage.removeItem(OFF);
        else localStorage.setItem(OFF, "1");
      } catch {}
    });
  }
})();
