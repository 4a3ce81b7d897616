"use strict";

// Accepts a file dropped anywhere on the form, shows its name, and warns if it is too large.
(function () {
  for (const form of document.querySelectorAll("form[data-drop]")) {
    const input = form.querySelector("input[type=file]");
    const said = document.getElementById(`${input.id}-said`);

    const size = (bytes) =>
      bytes < 1024 ? `${bytes} bytes` : bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;

    function problem(file) {
      if (!/\.(py|zip)$/i.test(file.name)) return `${file.name} is not a .py or .zip file.`;
      if (file.size > Number(form.dataset.most)) return `${file.name} is larger than ${form.dataset.mostSaid}.`;
      return "";
    }

    function look() {
      const file = input.files[0];
      const wrong = file ? problem(file) : "";
      input.setCustomValidity(wrong);
      said.textContent = wrong || (file ? `${file.name}, ${size(file.size)}` : "");
      said.className = wrong ? "field-error" : "field-hint";
    }

    const over = (on) => form.classList.toggle("drop-here", on);
    form.addEventListener("dragover", (event) => {
      event.preventDefault();
      over(true);
    });
    form.addEventListener("dragleave", (event) => {
      if (!form.contains(event.relatedTarget)) over(false);
    });
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      over(false);
      if (!event.dataTransfer.files.length) return;
      const one = new DataTransfer(); // the first, if there are several
      one.items.add(event.dataTransfer.files[0]);
      input.files = one.files;
      look();
    });
    input.addEventListener("change", look);
    look();
  }
})();
