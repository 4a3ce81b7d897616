"use strict";

// The review on the replay page: the current move in its graph and list, the next mistake, and
// the progress of a waiting review.

const section = document.getElementById("review");
const LOOK_MS = 1000;
const [LEFT, RIGHT] = [48, 14]; // as in review/shown.py

// The number of the next or previous mistake from a move; 0 without any.
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
    // Try again at the next poll.
  }
  setTimeout(lookAgain, document.hidden ? 10 * LOOK_MS : LOOK_MS);
}

if (section?.dataset.state === "waiting") setTimeout(lookAgain, LOOK_MS);

// Requesting a review keeps the current place.
section?.querySelector("form.press")?.addEventListener("submit", function (event) {
  const move = new URLSearchParams(location.search).get("move");
  const field = event.target.querySelector("[name=move]");
  if (field && move) field.value = move;
});
