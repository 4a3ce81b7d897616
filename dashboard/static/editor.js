"use strict";

// Turns the text area into a Python editor. Tab indents, so Escape moves the focus to the next field.
(function () {
  const area = document.querySelector("textarea[data-editor]");
  if (!area || !window.CodeMirror) return;
  const after = document.getElementById("field-label");
  const marked = [area.selectionStart, area.selectionEnd]; // keeps the cursor of a user already typing
  area.required = false; // it is hidden now, and the server checks it
  const editor = CodeMirror.fromTextArea(area, {
    mode: "python",
    indentUnit: 4,
    lineNumbers: true,
    screenReaderLabel: "bot.py",
    viewportMargin: Infinity,
    extraKeys: {
      Tab: (it) => it.execCommand(it.somethingSelected() ? "indentMore" : "insertSoftTab"),
      "Shift-Tab": "indentLess",
      Esc: () => after.focus(),
    },
  });
  editor.setSelection(...marked.map((at) => editor.posFromIndex(at)), { scroll: false });
  for (const name of ["aria-describedby", "aria-invalid"])
    if (area.hasAttribute(name)) editor.getInputField().setAttribute(name, area.getAttribute(name));
  document.getElementById("label-program").addEventListener("click", () => editor.focus());
  // Screen readers do not see the lines of the editor.
  document.getElementById("plain").addEventListener("click", function () {
    editor.toTextArea();
    area.required = true;
    area.focus();
    for (const hint of document.querySelectorAll(".with-script")) hint.hidden = true;
  });
  for (const hint of document.querySelectorAll(".with-script")) hint.hidden = false;
})();
