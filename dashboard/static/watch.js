"use strict";

// Plays the featured match, which the live fragment #programme describes: a stored match by a clock
// that all spectators share, a match in play round by round as they are scored. After a pause, it
// catches up.

import "./table.tools.js";
import { isCalm, land, moveOf, show } from "./table.moves.js";
import * as sound from "./table.sound.js";

const byId = (id) => document.getElementById(id);
const stage = byId("stage"); // null on a page without a table
const AGAIN_MS = 1500; // until a failed fetch is retried

let on = null; // the featured match, as in #programme
let rounds = new Map(); // fetched, by number
let at = null; // the displayed position: { round, done }
let shown = new Map(); // the HTML by piece
let timer = 0;
let busy = false;

const now = () => performance.now() / 1000;

function programme() {
  const told = byId("programme")?.dataset;
  if (!told?.match) return null;
  const lengths = told.lengths.split(",").map(Number);
  return {
    ...told,
    lengths,
    began: told.elapsed === "" ? null : now() - Number(told.elapsed),
    pace: Number(told.pace),
    scored: Number(told.scored),
    end: Number(told.end),
  };
}

// The current position in a stored match.
function byClock() {
  let left = now() - on.began;
  if (left < 0) return at; // not started: the table stays unchanged
  for (const [i, moves] of on.lengths.entries()) {
    const last = i === on.lengths.length - 1;
    const length = on.pace * moves + (last ? on.end : on.scored);
    if (left < length) return { round: i + 1, done: Math.min(Math.floor(left / on.pace), moves) };
    left -= length;
  }
  return null; // it is over
}

// The next position in a match in play, up to its last scored round.
function byStep() {
  if (!at) return { round: on.lengths.length, done: 0 };
  if (at.done < on.lengths[at.round - 1]) return { round: at.round, done: at.done + 1 };
  return at.round < on.lengths.length ? { round: at.round + 1, done: 0 } : at;
}

const same = (one, other) => one && other && one.round === other.round && one.done === other.done;

async function fetched(number) {
  const wanted = on;
  if (!rounds.has(number)) {
    const answer = await fetch(`${wanted.frames}?round=${number}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const told = await answer.json();
    if (wanted !== on) throw new Error("The featured match has changed.");
    rounds.set(number, told);
  }
  return rounds.get(number);
}

function build() {
  const board = stage.querySelector(".board");
  const seats = Number(on.seats);
  if (board.querySelectorAll(".seat").length === seats && !at) return; // rendered by the server
  board.className = `board seats-${seats} of-${on.game}`;
  const place = (name, piece) => {
    const made = document.createElement("div");
    made.className = name;
    made.dataset.piece = piece;
    return made;
  };
  const chairs = Array.from({ length: seats }, (_, seat) => place(`seat at-${seat}`, `seat-${seat}`));
  board.replaceChildren(...chairs, place("middle", "middle"));
  shown = new Map();
}

function draw(told, place) {
  const frame = told.frames[place.done];
  land();
  told.where.forEach(function (where, i) {
    const html = told.pieces[frame.drawn[i]];
    const piece = stage.querySelector(`[data-piece="${where}"]`);
    if (!piece || shown.get(where) === html) return;
    const focused = piece.contains(document.activeElement);
    piece.innerHTML = html;
    shown.set(where, html);
    if (focused) piece.querySelector("a")?.focus({ preventScroll: true });
  });
  byId("said").textContent = frame.said;
}

function lineOf(told, number) {
  const list = document.createElement("template");
  list.innerHTML = told.moves;
  return list.content.querySelector(`[data-key="${told.frames[number].key}"]`)?.closest("li");
}

// The score of the match after each round, as a table: the first rounds from the page, later ones
// from the seats when they are scored.
const sheet = byId("score-of-match");

function line(number, points) {
  const row = document.createElement("tr"), head = document.createElement("th");
  head.scope = "row";
  head.textContent = number;
  row.append(head, ...points.map((held) => cell("td", held)));
  return row;
}

function cell(kind, text) {
  const made = document.createElement(kind);
  made.className = "num";
  made.textContent = text;
  return made;
}

function startScore() {
  if (!sheet) return;
  sheet.hidden = false;
  const heads = on.names.split(",").map((name) => {
    const head = cell("th", ""), short = document.createElement("span");
    head.scope = "col";
    short.className = "name";
    short.textContent = name;
    head.append(short);
    return head;
  });
  const titles = sheet.querySelector("thead tr");
  titles.replaceChildren(titles.firstElementChild, ...heads);
  const scored = on.score ? on.score.split(";") : [];
  const lines = scored.map((points, i) => line(i + 1, points.split(",")));
  sheet.querySelector("tbody").replaceChildren(...lines);
}

function score(number) {
  const body = sheet?.querySelector("tbody");
  if (!body || body.rows.length !== number - 1) return;
  const seats = Array.from({ length: Number(on.seats) }, (_, i) => stage.querySelector(`[data-piece="seat-${i}"] .holds b`));
  body.append(line(number, seats.map((held) => held.textContent)));
}

async function goTo(place) {
  const wanted = on;
  const told = await fetched(place.round);
  const step = at && at.round === place.round && at.done + 1 === place.done;
  if (step) {
    const move = moveOf(lineOf(told, at.done));
    sound.play(move?.verb);
    await show(stage.querySelector(".board"), move, (on.pace * 1000) / 3);
  }
  if (wanted !== on) return;
  if (place.done === on.lengths[place.round - 1]) sound.play("round");
  draw(told, place);
  if (place.done === on.lengths[place.round - 1]) score(place.round);
  at = place;
}

// Milliseconds until the next update of the table.
function wait() {
  if (on.began !== null) return 150;
  return at && at.done === on.lengths[at.round - 1] ? on.scored * 1000 : on.pace * 1000;
}

async function tick() {
  clearTimeout(timer);
  let next = AGAIN_MS;
  if (on && !busy && !(paused() && at) && !document.hidden) { // a new match is drawn even then
    busy = true;
    try {
      const place = on.began !== null ? byClock() : byStep();
      if (!place && now() >= on.began) ask();
      else if (place && !same(place, at)) await goTo(place);
      next = place ? wait() : AGAIN_MS;
    } catch {
      rounds = new Map(); // the next try asks again
    }
    busy = false;
  }
  timer = setTimeout(tick, next);
}

// When the match is over, fetches the next one. A single match starts again.
function ask() {
  if (!byId("programme").dataset.live) return void (on.began = now());
  htmx.trigger(byId("programme"), "live");
}

function adopt() {
  const told = programme();
  if (!told) return void (on = at = null);
  const another = !on || told.match !== on.match || told.kind !== on.kind;
  const more = on && told.lengths.length !== on.lengths.length;
  if (!another && !more) return;
  if (another) {
    rounds = new Map();
    at = null;
  }
  on = told;
  if (another) build();
  if (another) startScore();
  tick();
}

const paused = () => byId("pause").textContent === "Resume";

function togglePause() {
  byId("pause").textContent = paused() ? "Pause" : "Resume";
  if (!paused()) tick();
}

if (stage) {
  byId("pause").addEventListener("click", togglePause);
  byId("pause").removeAttribute("data-off");
  // With reduced motion, the match starts paused.
  if (isCalm()) togglePause();
  document.addEventListener("htmx:afterSettle", adopt);
  document.addEventListener("visibilitychange", () => document.hidden || tick());
  adopt();
}
