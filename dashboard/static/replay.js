"use strict";

// Moves through a match without reloading the page. The server renders each state as pieces of
// HTML, which this script puts in place.

import "./replay.verify.js";
import { mistakeBeyond, pointInReview } from "./replay.review.js";
import { isShortcut } from "./table.tools.js";
import { hurry, land, moveOf, show } from "./table.moves.js";
import * as sound from "./table.sound.js";

const replay = document.getElementById("replay");
const byId = (id) => document.getElementById(id);
const lengths = replay.dataset.lengths.split(",").map(Number);
const eyes = replay.dataset.eyes;
const PACE_MS = 1200; // at speed 1
const at = { round: Number(replay.dataset.round), done: Number(replay.dataset.done) };

// A place is a round and the number of its moves done. After its last move it is scored.

const firsts = [];
lengths.reduce((sum, length, i) => ((firsts[i] = sum + 1), sum + length), 0);
const starts = []; // number of each round's first place within the match
lengths.reduce((sum, length, i) => ((starts[i] = sum), sum + length + 1), 0);
const END = starts[starts.length - 1] + lengths[lengths.length - 1];

function placeAt(number) {
  const wanted = Math.min(Math.max(number, 0), END);
  const round = starts.filter((start) => start <= wanted).length;
  return { round: round, done: wanted - starts[round - 1] };
}

function numberOf(place) {
  return starts[place.round - 1] + place.done;
}

function placeOf(key) {
  const [kind, text] = key.split("-");
  const number = Number(text);
  if (kind === "scored") return lengths[number - 1] ? { round: number, done: lengths[number - 1] } : null;
  const round = firsts.filter((first) => first <= number).length;
  if (!round || number - firsts[round - 1] >= lengths[round - 1]) return null;
  return { round: round, done: number - firsts[round - 1] };
}

function addressOf(place) {
  const scored = place.done === lengths[place.round - 1];
  const where = scored ? `scored=${place.round}` : `move=${firsts[place.round - 1] + place.done}`;
  return `?${where}${eyes === "" ? "" : `&seat=${eyes}`}`;
}

// Rounds, fetched once each.

const rounds = new Map();

function fetched(round) {
  if (!rounds.has(round)) {
    const address = `${replay.dataset.states}?round=${round}${eyes === "" ? "" : `&seat=${eyes}`}`;
    const answer = fetch(address).then(async function (response) {
      if (!response.ok) throw new Error(`The dashboard answered ${response.status}.`);
      return response.json();
    });
    answer.catch(() => rounds.delete(round));
    rounds.set(round, answer);
  }
  return rounds.get(round);
}

// Showing a place.

const shown = new Map(); // the HTML at each place of the table
let shownRound = at.round;
let asked = 0;

async function go(place) {
  const mine = (asked += 1);
  Object.assign(at, place);
  try {
    const told = await fetched(place.round);
    if (mine !== asked) return;
    await perform(told, place);
    if (mine !== asked) return;
    draw(told, place);
    if (place.round < lengths.length) fetched(place.round + 1).catch(() => {});
  } catch (error) {
    pause();
    byId("said").textContent = `This part of the replay could not be loaded. ${error.message}`;
  }
}

// A single step forward is animated; a jump is not.
let shownPlace = null;

async function perform(told, place) {
  const before = shownPlace;
  hurry();
  if (!before || before.round !== place.round || before.done + 1 !== place.done) return;
  const key = told.frames[before.done].key;
  const move = moveOf(byId("moves").querySelector(`[data-key="${key}"]`)?.closest("li"));
  sound.play(move?.verb);
  const within = timer ? (PACE_MS / Number(byId("speed").value)) * 0.6 : PACE_MS / 3;
  await show(replay.querySelector(".board"), move, within);
}

function draw(told, place) {
  const state = told.frames[place.done];
  shownPlace = { ...place };
  land();
  if (place.done === lengths[place.round - 1] && timer) sound.play(numberOf(place) === END ? "match" : "round");
  told.where.forEach((where, i) => put(where, told.pieces[state.drawn[i]]));
  byId("said").textContent = state.said;
  const inMoves = byId("moves").contains(document.activeElement);
  if (shownRound !== place.round) {
    byId("moves").innerHTML = told.moves;
    byId("round-number").textContent = place.round;
    shownRound = place.round;
  }
  pointTo(state, place);
  if (inMoves) byId("moves").querySelector("[aria-current]")?.focus({ preventScroll: true });
  showAddress();
}

let late = 0;

// Safari refuses more than 100 addresses in 10 seconds, for example while a key is held down.
function showAddress() {
  clearTimeout(late);
  try {
    history.replaceState(null, "", addressOf(at));
  } catch {
    late = setTimeout(showAddress, 1000);
  }
}

function put(where, html) {
  if (shown.get(where) === html) return;
  const piece = replay.querySelector(`[data-piece="${where}"]`);
  const focused = piece.contains(document.activeElement);
  piece.innerHTML = html;
  shown.set(where, html);
  if (focused) piece.querySelector("a")?.focus();
}

function pointTo(state, place) {
  for (const link of byId("moves").querySelectorAll("a")) {
    const here = link.dataset.key === state.key;
    if (here) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
    if (here) keepInSight(link);
  }
  for (const link of replay.querySelectorAll(".rounds a")) current(link, Number(link.dataset.round) === place.round);
  for (const row of document.querySelectorAll("[data-row]")) current(row, Number(row.dataset.row) === place.round);
  for (const link of replay.querySelectorAll(".through a")) {
    const through = link.dataset.eyes === "" ? "" : `&seat=${link.dataset.eyes}`;
    link.href = `?${state.key.replace("-", "=")}${through}`;
  }
  const number = numberOf(place);
  aim("first", number > 0 ? 0 : null);
  aim("back", number > 0 ? number - 1 : null);
  aim("forward", number < END ? number + 1 : null);
  aim("last", number < END ? END : null);
  byId("here").href = addressOf(place);
  const sheet = byId("in-sheet");
  sheet.hash = state.key.startsWith("move-") ? state.key : `round-${place.round}`;
  byId("scrub").value = number;
  byId("scrub").setAttribute("aria-valuetext", state.said);
  chartLine(place);
  pointInReview(place, firsts, lengths);
}

function current(element, yes) {
  if (yes) element.setAttribute("aria-current", "true");
  else element.removeAttribute("aria-current");
}

function aim(id, number) {
  const link = byId(id);
  if (number === null) {
    link.removeAttribute("href");
    link.tabIndex = -1; // keeps the focus
    link.setAttribute("role", "link");
    link.setAttribute("aria-disabled", "true");
  } else {
    link.href = addressOf(placeAt(number));
    for (const name of ["tabindex", "role", "aria-disabled"]) link.removeAttribute(name);
  }
}

function keepInSight(link) {
  const list = link.closest(".list");
  const above = link.offsetTop - list.offsetTop;
  if (above < list.scrollTop || above + link.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = above - list.clientHeight / 2;
  }
}

// The position line in the chart, between rounds in proportion to the moves done.
function chartLine(place) {
  const line = document.querySelector(".points-chart .here");
  const box = line.ownerSVGElement.viewBox.baseVal;
  const [left, right] = [34, 14];
  const roundsDone = place.round - 1 + place.done / lengths[place.round - 1];
  const x = left + ((box.width - left - right) * roundsDone) / lengths.length;
  line.setAttribute("x1", x.toFixed(1));
  line.setAttribute("x2", x.toFixed(1));
}

// Playing.

let timer = 0;

function play() {
  if (numberOf(at) === END) go(placeAt(0));
  wait();
  sayPlaying(true);
}

function wait() {
  clearTimeout(timer);
  timer = setTimeout(async function () {
    if (numberOf(at) >= END) return pause();
    await go(placeAt(numberOf(at) + 1));
    if (timer) wait();
  }, PACE_MS / Number(byId("speed").value));
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  sayPlaying(false);
}

function sayPlaying(yes) {
  const button = byId("play");
  button.querySelector("path").setAttribute("d", yes ? "M3 2h3.5v12H3zM9.5 2H13v12H9.5z" : "M4 1.5v13L14 8z");
  button.querySelector(".word").textContent = yes ? "Pause" : "Play";
  listen();
}

// What is shown is announced, unless it is too fast for a screen reader or the value of the slider.
function listen() {
  const fast = timer && Number(byId("speed").value) > 1;
  const off = fast || document.activeElement === byId("scrub");
  byId("said").setAttribute("aria-live", off ? "off" : "polite");
}

function toggle() {
  if (timer) pause();
  else play();
}

function jump(place) {
  pause();
  if (place) go(place);
}

// Mouse and touch.

function wanted(link) {
  if (link.dataset.key) return placeOf(link.dataset.key);
  if (link.dataset.round) return { round: Number(link.dataset.round), done: 0 };
  const steps = { first: 0, back: numberOf(at) - 1, forward: numberOf(at) + 1, last: END };
  return link.id in steps ? placeAt(steps[link.id]) : null;
}

document.addEventListener("click", function (event) {
  const link = event.target.closest("a");
  if (link?.id === "next-mistake" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    return nextMistake(event.shiftKey);
  }
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const place = wanted(link);
  if (!place) return;
  event.preventDefault();
  if (link.hasAttribute("href")) jump(place);
});

byId("play").addEventListener("click", toggle);
byId("speed").addEventListener("change", () => sayPlaying(Boolean(timer)));
for (const moved of ["focus", "blur"]) byId("scrub").addEventListener(moved, listen);
byId("scrub").addEventListener("input", () => jump(placeAt(Number(byId("scrub").value))));

// Keys.

function changeSpeed(by) {
  const speed = byId("speed");
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), speed.options.length - 1);
  sayPlaying(Boolean(timer));
}

async function nextFault() {
  const told = await fetched(at.round);
  const found = told.frames.findIndex((frame, i) => i > at.done && frame.fault);
  if (found >= 0) jump({ round: at.round, done: found });
}

// Jumps between the mistakes of a review, cyclically.
function nextMistake(back) {
  const number = mistakeBeyond(firsts[at.round - 1] + at.done, back);
  if (number) jump(placeOf(`move-${number}`));
}

function lookThrough(key) {
  const links = [...replay.querySelectorAll(".through a")];
  links[Number(key)]?.click();
}

const KEYS = {
  ArrowLeft: () => jump(placeAt(numberOf(at) - 1)),
  ArrowRight: () => jump(placeAt(numberOf(at) + 1)),
  PageUp: () => jump({ round: at.done ? at.round : Math.max(at.round - 1, 1), done: 0 }),
  PageDown: () => jump(at.round < lengths.length ? { round: at.round + 1, done: 0 } : placeAt(END)),
  Home: () => jump(placeAt(0)),
  End: () => jump(placeAt(END)),
  " ": toggle,
  "-": () => changeSpeed(-1),
  "+": () => changeSpeed(1),
  f: nextFault,
  m: (event) => nextMistake(event.shiftKey),
};

// Whether a key scrolls a focused list or table.
function scrolls(part, key) {
  if (key.startsWith("Arrow")) return part.scrollWidth > part.clientWidth;
  return /^(Page|Home|End| )/.test(key) && part.scrollHeight > part.clientHeight;
}

document.addEventListener("keydown", function (event) {
  if (!isShortcut(event)) return;
  if (event.key === " " && event.target.closest("a, button, summary, input")) return;
  if (event.target.matches("[tabindex='0']") && scrolls(event.target, event.key)) return;
  if (/^[0-9]$/.test(event.key)) return lookThrough(event.key);
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act(event);
});

// Starts at the place of the page, or at the move in the fragment.

function fromHash() {
  const place = /^#(move|scored)-\d+$/.test(location.hash) ? placeOf(location.hash.slice(1)) : null;
  if (place) jump(place);
  return Boolean(place);
}

for (const hidden of replay.querySelectorAll(".deck [hidden]")) hidden.hidden = false;
window.addEventListener("hashchange", fromHash);
if (!fromHash()) go(at);
