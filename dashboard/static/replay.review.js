"use strict";

// The review of a match on its replay's page: where one stands in its graph and its list, the next
// mistake, and the progress while it is being made.

const section = document.getElementById("review");
const LOOK_MS = 1000;
const [LEFT, RIGHT] = [48, 14]; // as in the chart

// The number of the next mistake beyond a move, or of the one before it; 0 without any.
export function mistakeBeyond(move, back) {
  const listed = document.getElementById("next-mistake")?.dataset.mistakes.split(",").map(Number) ?? [];
  if (!listed.length) return 0;
  if (back) return listed.findLast((number) => number < move) ?? listed.at(-1);
  return listed.find((number) => number > move) ?? listed[0];
}

export function pointInReview(place, firsts, lengths) {
  const line = section?.querySelector(".review-chart .here");
  if (!line) return;
  const moves = lengths.reduce((sum, length) => sum + length, 0);
  const number = firsts[place.round - 1] + place.done;
  const width = line.ownerSVGElement.viewBox.baseVal.width - LEFT - RIGHT;
  const x = (LEFT + (width * (number - 1)) / moves).toFixed(1);
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  for (const row of section.querySelectorAll(".mistakes tr:has(a)")) {
    const here = row.querySelector("a").dataset.key === `move-${number}` && place.done < lengths[place.round - 1];
    if (here) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

async function lookAgain() {
  try {
    const response = await fetch(section.dataset.address);
    const told = await response.json();
    if (told.state !== "waiting") {
      location.hash = "review";
      return location.reload();
    }
    const ahead = told.ahead === 1 ? "1 review" : `${told.ahead} reviews`;
    const words = told.ahead ? `Waiting: ${ahead} before this one.` : "This match is being reviewed.";
    const progress = document.getElementById("review-progress");
    if (progress.textContent !== words) progress.textContent = words;
  } catch {
    // The next look may succeed.
  }
  setTimeout(lookAgain, document.hidden ? 10 * LOOK_MS : LOOK_MS);
}

if (section?.dataset.state === "waiting") setTimeout(lookAgain, LOOK_MS);

// Whoever asks for a review comes back to where they are.
section?.querySelector("form.press")?.addEventListener("submit", function (event) {
  const move = new URLSearchParams(location.search).get("move");
  const field = event.target.querySelector("[name=move]");
  if (field && move) field.value = move;
});
