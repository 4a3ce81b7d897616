"use strict";

// The shuffle and the rolls of docs/data.md, computed from the seed, without the rules of the
// games. They show whether the deal of a record is derived from its seed.

const LANE = (1n << 64n) - 1n;
const RATE = 136; // bytes that SHAKE-256 absorbs or squeezes between permutations
const HAND = 6;

// SHAKE-256 (FIPS 202): lanes are 64-bit numbers, lane x + 5y.

const ROTATIONS = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
].map(BigInt);

const ROUND_CONSTANTS = (function () {
  // Bits of a linear feedback shift register over x⁸ + x⁶ + x⁵ + x⁴ + 1.
  let register = 1;
  const bit = function () {
    const out = register & 1;
    register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    return out;
  };
  return Array.from({ length: 24 }, function () {
    let constant = 0n;
    for (let j = 0; j < 7; j += 1) if (bit()) constant |= 1n << BigInt(2 ** j - 1);
    return constant;
  });
})();

function rotated(lane, by) {
  return ((lane << by) | (lane >> (64n - by))) & LANE;
}

function permute(lanes) {
  const column = new Array(5);
  const moved = new Array(25);
  for (const constant of ROUND_CONSTANTS) {
    for (let x = 0; x < 5; x += 1) {
      column[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20];
    }
    for (let x = 0; x < 5; x += 1) {
      const mixed = column[(x + 4) % 5] ^ rotated(column[(x + 1) % 5], 1n);
      for (let y = 0; y < 25; y += 5) lanes[x + y] ^= mixed;
    }
    for (let x = 0; x < 5; x += 1) {
      for (let y = 0; y < 5; y += 1) {
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(lanes[x + 5 * y], ROTATIONS[x + 5 * y]);
      }
    }
    for (let y = 0; y < 25; y += 5) {
      for (let x = 0; x < 5; x += 1) {
        lanes[x + y] = moved[x + y] ^ (~moved[((x + 1) % 5) + y] & LANE & moved[((x + 2) % 5) + y]);
      }
    }
    lanes[0] ^= constant;
  }
}

export function shake256(message, length) {
  const lanes = new Array(25).fill(0n);
  const padded = new Uint8Array((Math.floor(message.length / RATE) + 1) * RATE);
  padded.set(message);
  padded[message.length] ^= 0x1f;
  padded[padded.length - 1] ^= 0x80;
  for (let start = 0; start < padded.length; start += RATE) {
    for (let i = 0; i < RATE; i += 1) {
      lanes[i >> 3] ^= BigInt(padded[start + i]) << BigInt(8 * (i & 7));
    }
    permute(lanes);
  }
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) {
    if (i && i % RATE === 0) permute(lanes);
    out[i] = Number((lanes[(i % RATE) >> 3] >> BigInt(8 * (i & 7))) & 255n);
  }
  return out;
}

// Words of a stream from the seed, its purpose, and four-byte numbers.

export function fromHex(text) {
  return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
}

function words(seed, purpose, numbers, count) {
  const name = new TextEncoder().encode(purpose);
  const message = new Uint8Array(seed.length + name.length + 4 * numbers.length);
  message.set(seed);
  message.set(name, seed.length);
  const view = new DataView(message.buffer);
  numbers.forEach((n, i) => view.setUint32(seed.length + name.length + 4 * i, n));
  const stream = new DataView(shake256(message, 4 * count).buffer);
  return Array.from({ length: count }, (_, i) => stream.getUint32(4 * i));
}

// floor(word * n / 2^32), exact because the products stay below 2^53.
function scaled(word, n) {
  return Math.floor((word * n) / 2 ** 32);
}

export function shuffled(seed, round, deck) {
  const cards = deck.slice();
  words(seed, "deck", [round], cards.length - 1).forEach(function (word, place) {
    const i = cards.length - 1 - place;
    const j = scaled(word, i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  });
  return cards;
}

export function rolled(seed, round, roll, faces) {
  return words(seed, "dice", [round, roll], faces.length).map((w, die) => faces[die][scaled(w, 6)]);
}

// The deck of each game.

const NUMBERS = ["1", "2", "3", "4", "5", "6"];

function times(card, count) {
  return new Array(count).fill(card);
}

function kadabra(options) {
  const special = {};
  for (const word of options["kadabra.specials"].split(" ").filter(Boolean)) {
    const [card, count] = word.split(":");
    special[card] = Number(count);
  }
  const copies = { 1: 8, 2: 7, 3: 7, 4: 7, 5: 7, 6: 8 };
  const cards = NUMBERS.flatMap(function (value) {
    const icons = (value === "1" ? ["o"] : ["#", "*"]).map((icon) => value + icon);
    const plain = icons.reduce((left, card) => left - (special[card] || 0), copies[value]);
    const double = { 2: "2/3", 4: "4/5" }[value];
    return [
      ...times(value, plain),
      ...icons.flatMap((card) => times(card, special[card] || 0)),
      ...times(double, double ? 2 : 0),
    ];
  });
  return [...cards, ...times("llama", 12)];
}

const DECKS = {
  lama: () => [...NUMBERS, "llama"].flatMap((card) => times(card, 8)),
  party: () => [
    ...NUMBERS.flatMap((card) => [...times(card, 7), card + "+"]), ...times("llama", 7), "pink",
  ],
  dice: () => [...NUMBERS.flatMap((card) => times(card, 5)), ...times("llama", 6)],
  kadabra: kadabra,
};

function facesOf(options) {
  const order = [...NUMBERS, "llama"];
  const sorted = (die) => die.trim().split(/\s+/).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return options["dice.faces"].split("/").map(sorted);
}

// A record's rounds compared with the deals from its seed.

function same(told, made) {
  return told.length === made.length && told.every((card, i) => card === made[i]);
}

export function knows(game) {
  return Object.hasOwn(DECKS, game);
}

export function checkRound(record, index) {
  const told = record.rounds[index];
  const seed = fromHex(record.seed);
  const made = shuffled(seed, index + 1, DECKS[record.game](record.options));
  const open = told.rows
    ? told.rows.flat()
    : [...told.hands.flat(), told.top, ...told.pile];
  const used = told.rows ? made.slice(0, HAND * record.seats.length) : made;
  const rolls = told.moves.filter((move) => move.dice);
  const faces = rolls.length ? facesOf(record.options) : [];
  const fits = rolls.every((move, j) => same(move.dice, rolled(seed, index + 1, j + 1, faces)));
  return { made: used, cards: same(open, used), rolls: rolls.length, dice: fits };
}
