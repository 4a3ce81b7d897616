"use strict";

// Suggestions below a search field while typing: a combobox with a list (WAI-ARIA). Arrow keys select
// one, Enter opens it or searches, Escape closes the list. Before keys.js, which also uses Escape.
(function () {
  const WAIT_MS = 150; // after a key, before asking

  for (const [number, form] of document.querySelectorAll("form[data-suggest]").entries()) {
    const input = form.querySelector("input[name=q]");
    const list = document.createElement("ul");
    const said = document.createElement("p");
    let timer = 0;
    let asked = null; // the controller of the request under way
    let at = -1; // the selected option

    list.id = `suggestions-${number}`;
    list.className = "suggestions";
    list.role = "listbox";
    list.ariaLabel = "Suggestions";
    list.hidden = true;
    said.className = "unseen";
    said.role = "status";
    form.append(list);
    input.role = "combobox";
    input.ariaAutoComplete = "list";
    input.ariaExpanded = "false";
    input.setAttribute("aria-controls", list.id);

    function select(next) {
      const options = list.children;
      if (at >= 0) options[at].removeAttribute("aria-selected");
      at = next;
      if (at < 0) return input.removeAttribute("aria-activedescendant");
      options[at].ariaSelected = "true";
      options[at].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", options[at].id);
    }

    function close() {
      clearTimeout(timer);
      asked?.abort();
      select(-1);
      list.hidden = true;
      input.ariaExpanded = "false";
    }

    function show(options) {
      select(-1);
      list.innerHTML = options; // rendered and escaped by the server
      for (const option of list.children) option.id = `${list.id}-${option.id}`;
      const found = list.children.length;
      list.hidden = !found;
      input.ariaExpanded = String(found > 0);
      said.textContent = found ? `${found} suggestions` : "No suggestions";
    }

    async function ask() {
      const text = input.value.trim();
      asked?.abort();
      if (!text) return close();
      asked = new AbortController();
      try {
        const answer = await fetch(`${form.dataset.suggest}?q=${encodeURIComponent(text)}`, { signal: asked.signal });
        const options = await answer.text();
        if (document.activeElement === input) show(answer.ok ? options : "");
      } catch {} // aborted, or no network: the form still works
    }

    input.addEventListener("input", function () {
      if (!said.isConnected) form.append(said); // not before: pages have a status of their own
      clearTimeout(timer);
      timer = setTimeout(ask, WAIT_MS);
    });
    input.addEventListener("keydown", function (event) {
      if (list.hidden || event.isComposing) return;
      const last = list.children.length - 1;
      if (event.key === "ArrowDown") select(at < last ? at + 1 : -1);
      else if (event.key === "ArrowUp") select(at < 0 ? last : at - 1);
      else if (event.key === "Enter" && at >= 0) location.href = list.children[at].dataset.address;
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    });
    input.addEventListener("blur", close);
    form.addEventListener("submit", close);
    // Before the field loses the focus.
    list.addEventListener("pointerdown", function (event) {
      event.preventDefault();
    });
    list.addEventListener("click", function (event) {
      const option = event.target.closest("[data-address]");
      if (option) location.href = option.dataset.address;
    });
  }
})();
