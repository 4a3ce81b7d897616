// Animates a move on the table as it was before the move: cards and tokens fly to their new
// places. With prefers-reduced-motion, the table changes at once.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const FLIGHT_MS = 420;
const TOO_SHORT_MS = 90; // shorter flights are skipped
const running = new Set();
let layer = null;

export const isCalm = () => calm.matches;

// A move from its list item: <li data-seat="2" data-action="play 3">, with its cards.
export function moveOf(line) {
  if (!line?.dataset.action) return null;
  const [verb, ...what] = line.dataset.action.split(" ");
  const found = (selector) => [...line.querySelectorAll(selector)];
  return {
    seat: Number(line.dataset.seat),
    verb,
    what,
    cards: found(".card:not(.drawn, .die)"),
    drawn: found(".card.drawn"),
    dice: found(".card.die"),
  };
}

const spot = (board, name) => board.querySelector(`[data-spot="${name}"]`);
const seats = (board) => board.querySelectorAll('[data-spot^="hand-"]').length;

function nextSeat(board, seat) {
  for (let step = 1; step <= seats(board); step += 1) {
    const other = (seat + step) % seats(board);
    if (!spot(board, `hand-${other}`)?.closest(".before").matches(".out")) return other;
  }
  return seat;
}

// A card's element in a hand: the lifted one, or one that looks the same.
function lying(hand, card) {
  const name = card.textContent;
  const shown = [...hand.querySelectorAll(".card")];
  return (
    shown.find((one) => one.matches(".lifted") && one.textContent === name) ||
    shown.find((one) => one.textContent === name && !one.matches(".back")) ||
    shown[shown.length - 1] ||
    hand
  );
}

function faceDown() {
  const card = document.createElement("span");
  card.className = "card back";
  return card;
}

function coin(board, seat) {
  const held = spot(board, `tokens-${seat}`)?.querySelectorAll(".token:not(.token-magic)");
  return held?.length ? held[held.length - 1] : null;
}

function word(text) {
  const said = document.createElement("span");
  said.className = "word";
  said.textContent = text;
  return said;
}

// The flights of a move: what flies, from and to which elements of the board.
const FLIGHTS = {
  play(board, move) {
    const hand = spot(board, `hand-${move.seat}`);
    const card = move.cards[0];
    const out = [{ what: card, from: lying(hand, card), to: spot(board, "top")?.lastElementChild }];
    if (card.textContent === "llama" && spot(board, "stage") && coin(board, move.seat))
      out.push({ what: coin(board, move.seat), from: coin(board, move.seat), to: spot(board, "stage"), later: true });
    if (card.textContent.endsWith("□"))
      out.push({ what: faceDown(), from: spot(board, "pile"), to: spot(board, `hand-${nextSeat(board, move.seat)}`), later: true });
    if (card.textContent.endsWith("★")) {
      const magic = board.querySelector(".token-magic");
      out.push({ what: magic, from: magic, to: spot(board, `tokens-${move.seat}`), later: true });
    }
    return out;
  },
  draw(board, move) {
    return [{ what: move.drawn[0] || faceDown(), from: spot(board, "pile"), to: spot(board, `hand-${move.seat}`) }];
  },
  quit(board, move) {
    const hand = spot(board, `hand-${move.seat}`);
    return [{ what: word("quits"), from: hand, to: hand, rise: true }];
  },
  roll(board, move) {
    const places = [...(spot(board, "dice")?.children || [])];
    return move.dice.map((die, i) => ({ what: die, from: spot(board, `hand-${move.seat}`), to: places[i], spin: 360 + 180 * i }));
  },
  discard(board, move) {
    const hand = spot(board, `hand-${move.seat}`);
    return move.cards.map((card) => ({ what: card, from: lying(hand, card), to: spot(board, "dice"), fade: true }));
  },
  take(board, move) {
    const row = spot(board, "row");
    return [{ what: move.cards[0], from: row && lying(row, move.cards[0]), to: spot(board, `hand-${move.seat}`) }];
  },
  give(board, move) {
    const to = (move.seat + Number(move.what[0])) % seats(board);
    return [{ what: coin(board, move.seat), from: coin(board, move.seat), to: spot(board, `tokens-${to}`) }];
  },
  collect(board, move) {
    const lie = spot(board, "stage")?.querySelectorAll(".token") || [];
    return [...lie].map((token) => ({ what: token, from: token, to: spot(board, `tokens-${move.seat}`) }));
  },
  return(board, move) {
    const magic = move.what[0] === "magic" ? board.querySelector(".token-magic") : null;
    const token = magic || coin(board, move.seat);
    return [{ what: token, from: token, to: spot(board, magic ? "stage" : "pile") || spot(board, "dice"), fade: true }];
  },
};

function middleOf(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2, height: box.height };
}

// A flying copy, with the size of the cards or tokens at its destination.
function copyOf(flight) {
  const copy = flight.what.cloneNode(true);
  copy.classList.remove("small", "drawn", "lifted", "top", "under");
  const like = flight.to.matches(".card") ? flight.to : flight.to.querySelector(".card, .token") || flight.from;
  if (!copy.matches(".word")) copy.style.fontSize = getComputedStyle(like).fontSize;
  if (copy.matches(".token")) copy.style.fontSize = getComputedStyle(flight.what).fontSize;
  layer.append(copy);
  // The original is hidden until the table is updated after the flight.
  if (flight.from.matches(".card:not(.back)")) flight.from.style.visibility = "hidden";
  return copy;
}

function fly(flight, duration) {
  const copy = copyOf(flight);
  const [from, to, own] = [middleOf(flight.from), middleOf(flight.to), copy.getBoundingClientRect()];
  const at = (place, more) => `translate(${place.x - own.width / 2}px, ${place.y - own.height / 2}px) ${more}`;
  const small = Math.min(Math.max(from.height / own.height || 1, 0.4), 1.4);
  const frames = flight.rise
    ? [
        { transform: at(from, "scale(.7)"), opacity: 0 },
        { transform: at(from, "scale(1)"), opacity: 1, offset: 0.3 },
        { transform: at({ x: to.x, y: to.y - 14 }, "scale(1)"), opacity: 0 },
      ]
    : [
        { transform: at(from, `scale(${small}) rotate(${-(flight.spin || 0)}deg)`) },
        { transform: at(to, "scale(1) rotate(0deg)"), opacity: flight.fade ? 0 : 1 },
      ];
  const moving = copy.animate(frames, { duration, delay: flight.later ? duration / 2 : 0, easing: "cubic-bezier(.3, .1, .2, 1)", fill: "both" });
  running.add(moving);
  return moving.finished.catch(() => {}).finally(() => running.delete(moving));
}

function takeOff() {
  layer = document.createElement("div");
  layer.className = "flight";
  layer.setAttribute("aria-hidden", "true");
  document.body.append(layer);
}

// Animates a move within the given milliseconds; resolves when all flights have landed.
export async function show(board, move, within = FLIGHT_MS) {
  const plan = FLIGHTS[move?.verb];
  if (calm.matches || document.hidden || !board || !plan || within < TOO_SHORT_MS) return;
  const flights = plan(board, move).filter((one) => one.what && one.from && one.to);
  if (!flights.length) return;
  if (!layer) takeOff();
  await Promise.all(flights.map((one) => fly(one, Math.min(within, FLIGHT_MS))));
}

// Finishes all flights at once.
export function hurry() {
  for (const moving of running) moving.finish();
}

// Removes the flying copies after the table was updated.
export function land() {
  layer?.remove();
  layer = null;
}

const PIECES = 28;
const CHEER_MS = 1900;

// Celebrates a win: small cards burst over the table and fall.
export function celebrate(felt) {
  const box = felt.getBoundingClientRect();
  const cheer = document.createElement("div");
  cheer.className = "flight";
  cheer.setAttribute("aria-hidden", "true");
  document.body.append(cheer);
  for (let i = 0; i < PIECES; i += 1) {
    const piece = document.createElement("span");
    piece.className = `card cheer card-${1 + (i % 6)}`;
    cheer.append(piece);
    const start = { x: box.left + box.width / 2, y: box.top + box.height / 3 };
    const aside = (Math.random() - 0.5) * box.width;
    const at = (x, y, turn) => `translate(${start.x + x}px, ${start.y + y}px) rotate(${turn}deg)`;
    piece.animate(
      [
        { transform: at(0, 0, 0), opacity: 1, easing: "ease-out" },
        { transform: at(aside * 0.7, -box.height * (0.1 + Math.random() * 0.25), 180), opacity: 1, offset: 0.35, easing: "ease-in" },
        { transform: at(aside, box.height * 0.6, 540 * Math.random()), opacity: 0 },
      ],
      { duration: CHEER_MS * (0.7 + Math.random() * 0.3), fill: "both" },
    );
  }
  setTimeout(() => cheer.remove(), CHEER_MS);
}
