// Keeps the table up to date: fetches the moves of others, sends the player's choices, and
// replaces the live part of the page. Without this script, the same buttons send the same form.

import { canUndo, isShortcut } from "./table.tools.js";
import { celebrate, hurry, isCalm, land, moveOf, show } from "./table.moves.js";
import { offerPicking } from "./table.pick.js";
import * as sound from "./table.sound.js";

const table = document.getElementById("table");
const said = document.getElementById("said");

// Polling intervals by whose turn it is. A hidden page polls on, which tells the arena that the
// player is present. Browsers slow that down, but not below once a minute.
const PAUSE_MS = { others: 500, mine: 5000 };
const LONG_MS = 1500; // while another person thinks for long
const SOON = 40; // answers without news until then
const TROUBLE_MS = 3000;

// The limit for showing new moves one after the other on the table.
const SHOW_MS = 3200;
const MOVE_MS = 420;
const MOMENT_MS = 2600;
const UNDO_MS = 1000; // delay before sending a choice that reveals nothing
const SURE_MS = 6000; // time for the second press on "Quit the round"

let busy = false; // a move is on its way
let held = false; // the focus was in the live part when that move was sent
let timer = 0;
let quiet = 0; // answers without news

const playing = () => table.querySelector(".playing");

// The new moves and scorings of a part, as lines of its list or as sentences.
function newIn(part, kind = ".events > li") {
  const known = Math.max(-1, ...numbers(table, "number"));
  const ended = Math.max(-1, ...numbers(table, "round"));
  return [...part.querySelectorAll(kind)].filter(
    (line) => Number(line.dataset.number ?? -1) > known || Number(line.dataset.round ?? -1) > ended,
  );
}

function numbers(part, kind) {
  return [...part.querySelectorAll(`.events > li[data-${kind}]`)].map((line) => Number(line.dataset[kind]));
}

let hurried = false; // a key or button was pressed while the table showed moves

// Replaces "your turn" on the table while the moves of others are shown.
function endTurn() {
  const own = table.querySelector(".mine.to-act");
  if (!own) return;
  own.classList.remove("to-act");
  own.querySelector(".flag")?.remove();
  table.querySelector("#status").textContent = "The others move";
  title("others");
}

function title(turn) {
  document.title = document.title.replace(/^[^·]*/, turn === "mine" ? "Your turn " : "Your table ");
}

async function showAll(part) {
  const lines = table.querySelector(".board") && table.querySelector(".events") ? newIn(part) : [];
  if (lines.length) endTurn();
  const within = Math.min(MOVE_MS, SHOW_MS / Math.max(lines.length, 1));
  hurried = false;
  for (const line of lines) {
    if (line.dataset.round) await pauseAt(part.querySelector(`.moment-held[data-round="${line.dataset.round}"]`));
    else {
      const move = moveOf(line);
      sound.play(move?.verb);
      if (!hurried && !isCalm()) await show(table.querySelector(".board"), move, within);
    }
  }
}

// Shows the result of a round over the table for a moment, or until a key or button is pressed.
async function pauseAt(held) {
  if (!held) return;
  sound.play("round");
  const shown = held.cloneNode(true);
  shown.hidden = false;
  document.getElementById("moment").replaceChildren(shown);
  if (isCalm()) return void setTimeout(() => shown.remove(), MOMENT_MS);
  const until = performance.now() + MOMENT_MS;
  while (!hurried && performance.now() < until) await new Promise((done) => setTimeout(done, 60));
  shown.remove();
}

function parsed(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  return made.content;
}

const CLOCK_S = [30, 10]; // the remaining times that are announced

// Replaces only the times, so that the focus stays, if nothing else has changed.
function tick(part) {
  const [before, after] = [playing(), part.querySelector(".playing")];
  const same = ["mark", "turn"].every((name) => before?.dataset[name] === after.dataset[name]);
  const [clock, newer] = [before?.querySelector(".times"), after.querySelector(".times")];
  if (!same || !clock || !newer) return false;
  const [left, now] = [clock, newer].map((one) => Number(one.dataset.left || Infinity));
  before.dataset.key = after.dataset.key;
  clock.replaceWith(newer);
  table.querySelector("[data-lost]")?.remove();
  if (CLOCK_S.some((limit) => now <= limit && limit < left)) tell(newer.querySelector(".clock").textContent);
  return true;
}

async function put(part) {
  const before = playing()?.dataset.turn;
  await showAll(part);
  swap(part);
  land();
  const turn = playing()?.dataset.turn;
  if (turn === "over" && before !== "over") {
    sound.play("match");
    if (playing().dataset.won !== undefined && !isCalm()) celebrate(table.querySelector(".felt"));
  } else if (turn === "mine" && before !== "mine") sound.play("turn");
}

function swap(part) {
  const inside = held || table.contains(document.activeElement);
  const words = spoken(part, inside);
  const open = table.querySelector("details")?.open;
  const undealt = !table.querySelector(".board");
  table.replaceChildren(part);
  if (undealt) scrollToTable();
  const list = table.querySelector(".since .list");
  if (list) list.scrollTop = list.scrollHeight;
  if (open && table.querySelector("details")) table.querySelector("details").open = true;
  // Before the buttons, not on one, so that a double press does not play twice.
  if (inside) table.querySelector("#panel")?.focus({ preventScroll: true });
  offerPicking(table);
  title(playing()?.dataset.turn);
  tell(words);
}

// What a screen reader says: what is new, and the status, unless the panel with it gets the focus.
function spoken(part, focused) {
  const fixed = focused ? ".saying > .always" : ".saying > .always, .saying > .now";
  const lines = [...newIn(part, ".saying > [data-number], .saying > [data-round]"), ...part.querySelectorAll(fixed)];
  return lines.map((line) => line.textContent.trim()).join(" ");
}

let scrolledTo = 0; // the page does not scroll again after the reader has scrolled
// On a phone, the page starts at the table; on a low one, at the seats.
// Not by scrollIntoView, which makes the Tab key start there in Chromium 150.
function scrollToTable() {
  if (!matchMedia("(max-width: 44rem)").matches || scrollY !== scrolledTo) return;
  const board = matchMedia("(max-height: 50rem)").matches && table.querySelector(".board");
  scrollBy(0, board ? board.getBoundingClientRect().top - 6 : table.getBoundingClientRect().top);
  scrolledTo = scrollY;
}

function tell(sentence) {
  const words = sentence.replace(/\s+/g, " ").trim();
  if (said.textContent !== words) said.textContent = words;
}

// `lost`: polling failed, so the next answer removes the line.
function trouble(sentence, lost = false) {
  let line = table.querySelector(".notice-line");
  if (!line) {
    line = document.createElement("p");
    line.className = "form-problem notice-line";
    line.setAttribute("role", "alert");
    (playing() || table).prepend(line);
  }
  line.toggleAttribute("data-lost", lost);
  if (line.textContent !== sentence) line.textContent = sentence; // announced once
}

// The error in a page that came instead of the live part.
async function problemOf(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const sentence = page.querySelector("main p")?.textContent.trim();
  return sentence || "The dashboard sent an unexpected answer. Trying again.";
}

async function take(response, asked = false) {
  quiet = response.status === 204 ? quiet + 1 : 0;
  if (quiet) return table.querySelector("[data-lost]")?.remove();
  const text = response.headers.get("content-type")?.startsWith("text/html");
  if (text && (response.ok || response.status === 409)) {
    const html = await response.clone().text();
    const part = parsed(html);
    if (part.querySelector(".playing")) return asked && tick(part) ? undefined : await put(part);
  }
  throw new Error(await problemOf(response));
}

function next(ms) {
  clearTimeout(timer);
  const turn = playing()?.dataset.turn;
  const others = quiet > SOON ? LONG_MS : PAUSE_MS.others;
  if (turn !== "over") timer = setTimeout(look, ms ?? (turn === "mine" ? PAUSE_MS.mine : others));
}

let looking = false; // fetching or showing the live part

async function look() {
  if (busy || looking) return next();
  looking = true;
  const key = playing()?.dataset.key || "";
  try {
    const response = await fetch(`${table.dataset.address}?seen=${encodeURIComponent(key)}`, {
      headers: { "HX-Request": "true" },
    });
    if (!busy) await take(response, true);
    next();
  } catch (error) {
    trouble(error instanceof TypeError ? "The dashboard cannot be reached. Trying again." : error.message, true);
    next(TROUBLE_MS);
  } finally {
    looking = false;
  }
}

function release(button) {
  table.querySelectorAll("button[name=choice], .pick-card").forEach((one) => (one.disabled = false));
  button.classList.remove("chosen");
  button.focus();
}

// Whether to send a choice. It can be undone for a moment, unless it reveals something new.
function settled(button) {
  const reveals = "reveals" in button.dataset || button.name === "hint";
  const head = table.querySelector(".panel-head");
  if (reveals || !canUndo() || !head) return Promise.resolve(true);
  const undo = document.createElement("button");
  undo.type = "button";
  undo.className = "button button-quiet undo";
  undo.dataset.key = "u";
  undo.setAttribute("aria-keyshortcuts", "u");
  undo.innerHTML = 'Undo <kbd aria-hidden="true">U</kbd>';
  head.append(undo);
  return new Promise((done) => {
    setTimeout(() => done(true), UNDO_MS);
    undo.addEventListener("click", () => done(false));
  }).finally(() => undo.remove());
}

// Quitting takes two presses, by mouse or by key.
function isSure(button) {
  if (!button.classList.contains("act-leave") || button.classList.contains("sure")) return true;
  const what = button.querySelector(".what");
  const before = what.textContent;
  button.classList.add("sure");
  what.textContent = "Quit? Press again";
  tell("Quit the round? Press again to quit.");
  setTimeout(function () {
    button.classList.remove("sure");
    what.textContent = before;
    tell(""); // so that the next time is announced
  }, SURE_MS);
  return false;
}

async function send(form, button) {
  if (busy) return;
  busy = true;
  held = table.contains(document.activeElement);
  const body = new URLSearchParams(new FormData(form));
  body.append(button.name, button.value);
  button.classList.add("chosen");
  table.querySelectorAll("button[name=choice], .pick-card").forEach((one) => (one.disabled = true));
  if (!(await settled(button))) {
    busy = held = false;
    return release(button);
  }
  try {
    await take(await fetch(button.getAttribute("formaction") || form.action, { method: "POST", body, headers: { "HX-Request": "true" } }));
    next(playing()?.dataset.turn === "others" ? 100 : undefined);
  } catch (error) {
    release(button);
    trouble(error instanceof TypeError ? "The dashboard cannot be reached. Press again in a moment." : error.message);
    next(TROUBLE_MS);
  } finally {
    busy = held = false;
  }
}

function impatient() {
  hurried = true;
  hurry();
  if (isCalm()) document.getElementById("moment").replaceChildren();
}

document.addEventListener("pointerdown", impatient);
document.addEventListener("keydown", impatient);

document.addEventListener("submit", function (event) {
  if (event.target.id !== "move" || !event.submitter) return;
  event.preventDefault();
  if (isSure(event.submitter)) send(event.target, event.submitter);
});

document.addEventListener("keydown", function (event) {
  if (!isShortcut(event) || event.repeat) return;
  const button = buttonOf(event);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.focus();
  // Q asks and focuses the button; Enter then quits.
  if (!button.classList.contains("sure")) button.click();
});

// Digits are recognised by key position, because Shift with a digit selects another card.
function buttonOf(event) {
  const key = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1] ?? event.key.toLowerCase();
  const buttons = [...table.querySelectorAll("button[data-key]")].filter((one) => !one.hidden);
  const found = (wanted) => buttons.find((one) => one.dataset.key === wanted);
  return (event.shiftKey && found(`shift+${key}`)) || found(key);
}

document.addEventListener("visibilitychange", () => document.hidden || next(0));
window.addEventListener("pageshow", (event) => event.persisted && next(0));

document.getElementById("keyboard").hidden = false;
scrollToTable();
offerPicking(table);
const list = table.querySelector(".since .list");
if (list) list.scrollTop = list.scrollHeight;
next();
