"use strict";

// Parts of a page that fetch themselves anew leave the reader alone: while the page is not
// seen, while the keyboard is inside the part, and while text of it is being selected.
document.addEventListener("htmx:beforeRequest", function (event) {
  const part = event.target;
  const selection = document.getSelection();
  const busy =
    document.hidden ||
    (part.contains(document.activeElement) && document.activeElement.matches(":focus-visible")) ||
    (selection && !selection.isCollapsed && part.contains(selection.anchorNode));
  if (busy) event.preventDefault();
});
