"use strict";

// After "submit and try", starts a test match once, as soon as the page has the button for it.
(function () {
  for (const said of document.querySelectorAll(".with-script")) said.hidden = false;
  let begun = false;
  function look() {
    const form = document.querySelector("form:has([data-try])");
    if (!form || begun) return;
    begun = true;
    form.requestSubmit();
  }
  document.addEventListener("htmx:afterSettle", look);
  look();
})();
