// Discarding in LAMA Dice: cards are selected first and then discarded together, so a wrong press
// can be corrected. Without this script, each combination of cards has a button.

let kept = { ticket: "", cards: [] }; // the selection, kept over updates of the page

const same = (one, other) => [...one].sort().join() === [...other].sort().join();
const cardsOf = (button) => button.dataset.cards.split(" ");
const count = (cards, card) => cards.filter((one) => one === card).length;

// The selectable cards; repeated cards as often as a combination repeats them.
function selectable(combinations) {
  const all = [...new Set(combinations.flat())];
  const most = (card) => Math.max(...combinations.map((cards) => count(cards, card)));
  return all.sort().flatMap((card) => Array(most(card)).fill(card));
}

function button(type, classes, key, ...inside) {
  const made = document.createElement("button");
  made.type = type;
  made.className = classes;
  made.dataset.key = key;
  made.setAttribute("aria-keyshortcuts", key.replace("shift", "Shift"));
  const shown = document.createElement("kbd");
  shown.setAttribute("aria-hidden", "true");
  shown.textContent = key.replace("shift+", "⇧").toUpperCase();
  made.append(...inside, shown);
  return made;
}

function pickButtons(combinations) {
  const pictures = new Map();
  for (const one of combinations)
    one.querySelectorAll(".card").forEach((picture, i) => pictures.set(cardsOf(one)[i], picture));
  const keys = new Set();
  return selectable(combinations.map(cardsOf)).map((card) => {
    const own = card === "llama" ? "l" : card;
    const key = [own, `shift+${own}`].find((one) => !keys.has(one)) ?? "";
    keys.add(key);
    const made = button("button", "act act-cards pick-card", key, pictures.get(card).cloneNode(true));
    made.dataset.card = card;
    made.setAttribute("aria-label", `Select ${card}`);
    return made;
  });
}

// Replaces the buttons of the combinations by a button for each card and one to discard.
export function offerPicking(table) {
  const combinations = [...table.querySelectorAll("button[data-cards]")];
  if (!combinations.length) return;
  const ticket = table.querySelector("input[name=ticket]").value;
  if (kept.ticket !== ticket) kept = { ticket, cards: [] };

  const picks = pickButtons(combinations);
  const words = document.createElement("span");
  const discard = button("submit", "act discard", "d", words);
  discard.name = "choice";
  const hand = [...table.querySelectorAll(".in-hand")];
  const cardOf = (one) => cardsOf(combinations.find((other) => other.value === one.value))[0];

  // Marks the buttons of the selected cards.
  function mark(buttons, card, press) {
    const left = [...kept.cards];
    for (const one of buttons) {
      const at = left.indexOf(card(one));
      if (at >= 0) left.splice(at, 1);
      press(one, at >= 0);
    }
  }

  function show() {
    mark(picks, (one) => one.dataset.card, (one, on) => one.setAttribute("aria-pressed", String(on)));
    mark(hand, cardOf, (one, on) => {
      one.classList.toggle("picked", on);
      one.setAttribute("aria-pressed", String(on));
    });
    for (const one of combinations) one.setAttribute("aria-pressed", String(same(cardsOf(one), kept.cards)));
    const found = combinations.find((one) => same(cardsOf(one), kept.cards));
    discard.disabled = !found;
    discard.value = found?.value ?? "";
    const number = kept.cards.length;
    words.textContent = !number ? "Select cards" : number === 1 ? "Discard 1 card" : `Discard ${number} cards`;
  }

  function select(cards) {
    kept.cards = cards;
    show();
  }

  function toggle(card, off) {
    const at = kept.cards.indexOf(card);
    select(off ? kept.cards.toSpliced(at, 1) : [...kept.cards, card]);
  }

  for (const one of picks)
    one.addEventListener("click", () => toggle(one.dataset.card, one.getAttribute("aria-pressed") === "true"));
  for (const one of [...hand, ...combinations])
    one.setAttribute("aria-label", one.getAttribute("aria-label").replace(/^Discard/, "Select"));
  for (const one of hand) {
    one.type = "button";
    one.addEventListener("click", () => toggle(cardOf(one), one.classList.contains("picked")));
  }
  // With a hint, the combinations stay to show their values; a press selects their cards.
  const hinted = combinations.some((one) => one.querySelector(".told"));
  for (const one of combinations) {
    one.type = "button";
    one.hidden = !hinted;
    one.addEventListener("click", () => select(cardsOf(one)));
  }
  const row = document.createElement("p");
  row.className = "buttons picking";
  row.append(...(hinted ? [] : picks), discard);
  combinations[0].closest(".choices").append(row);
  discard.setAttribute("form", "move");
  show();
}
