"use strict";

// After "Submit and test", starts the test match once, as soon as the page has its button.
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
