"use strict";

// The button that repeats the shuffle in the browser and compares it with the record.

import { checkRound, knows } from "./replay.shuffle.js";

const button = document.getElementById("shuffle");
const out = document.getElementById("browser-verdict");

function verdict(good, sentence) {
  const told = document.createElement("p");
  told.className = `verdict ${good ? "good" : "bad"}`;
  told.textContent = sentence;
  return told;
}

function inWords(index, found) {
  const rolls = found.rolls ? ` and ${found.rolls} rolls` : "";
  if (found.cards && found.dice) return `Round ${index + 1}: ${found.made.length} cards${rolls} as in the record.`;
  return `Round ${index + 1}: the ${found.cards ? "dice" : "cards"} differ from the record.`;
}

async function verify() {
  const record = await (await fetch(button.dataset.record)).json();
  if (!knows(record.game)) return out.replaceChildren(verdict(false, "This page cannot shuffle the cards of this game."));
  const list = document.createElement("ol");
  list.className = "checked-rounds";
  list.tabIndex = 0; // may scroll
  let good = true;
  for (let index = 0; index < record.rounds.length; index += 1) {
    const found = checkRound(record, index);
    good = good && found.cards && found.dice;
    const line = document.createElement("li");
    line.textContent = inWords(index, found);
    list.append(line);
    if (index % 10 === 9) await new Promise((done) => setTimeout(done)); // keeps the page responsive
  }
  const said = good
    ? "Your browser repeated the shuffle from the seed. Every deal matches the record."
    : "Your browser repeated the shuffle from the seed. It does not match the record.";
  out.replaceChildren(verdict(good, said));
  out.after(list); // not announced
}

button.addEventListener("click", function () {
  button.disabled = true;
  document.querySelector(".checked-rounds")?.remove();
  verify()
    .catch((error) => out.replaceChildren(verdict(false, `The record could not be loaded. ${error.message}`)))
    .finally(() => {
      button.disabled = false;
      if (document.activeElement === document.body) button.focus(); // lost while it was disabled
    });
});
button.hidden = false;
