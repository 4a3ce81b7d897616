"use strict";

// Animates rows with a data-rank that change places in an updated table, and marks their direction
// for a few seconds. Rows are identified by their ids.
(function () {
  const SAID_MS = 6000;
  const GLIDE_MS = 500;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const said = new Map(); // id of a row -> its direction, and until when to show it
  let before = new Map();

  const rows = () => Array.from(document.querySelectorAll("tr[data-rank][id]"));

  // Relative to the table, so that changes above it do not count.
  function height(row) {
    return row.getBoundingClientRect().top - row.closest("table").getBoundingClientRect().top;
  }

  function remember() {
    before = new Map(rows().map((row) => [row.id, { rank: Number(row.dataset.rank), height: height(row) }]));
  }

  function glide(row, by) {
    if (calm.matches || Math.abs(by) < 1 || !row.animate) return;
    row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: GLIDE_MS, easing: "ease" });
  }

  function show() {
    const now = performance.now();
    for (const row of rows()) {
      const was = before.get(row.id);
      if (was && was.rank !== Number(row.dataset.rank))
        said.set(row.id, { way: was.rank > Number(row.dataset.rank) ? "up" : "down", until: now + SAID_MS });
      if (was) glide(row, was.height - height(row));
    }
    mark();
  }

  function mark() {
    for (const row of rows()) {
      const mine = said.get(row.id);
      if (mine && mine.until > performance.now()) row.dataset.moved = mine.way;
      else delete row.dataset.moved;
    }
  }

  document.addEventListener("htmx:beforeSwap", remember);
  document.addEventListener("htmx:afterSwap", show);
  setInterval(mark, 1000);
})();
