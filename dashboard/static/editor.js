"use strict";

// Turns a program's text area into a Python editor. Tab indents in it, so Escape moves the focus
// to the next field.
(function () {
  const area = document.querySelector("textarea[data-editor]");
  if (!area || !window.CodeMirror) return;
  const after = document.getElementById("field-label");
  const marked = [area.selectionStart, area.selectionEnd]; // keeps the place of typing
  area.required = false; // it is hidden now; the server also checks
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
  editor.getInputField().setAttribute("aria-describedby", "field-program-hint");
  document.getElementById("label-program").addEventListener("click", () => editor.focus());
  for (const hint of document.querySelectorAll(".with-script")) hint.hidden = false;
})();
