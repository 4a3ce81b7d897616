// The table, kept up to date: what others do is fetched, what is pressed is sent, and the part of
// the page that changes is put in place without a new page. Without this script the same buttons
// send the same form.

import { canUndo } from "./table.tools.js";
import { celebrate, hurry, isCalm, land, moveOf, show } from "./table.moves.js";
import { offerPicking } from "./table.pick.js";
import * as sound from "./table.sound.js";

const table = document.getElementById("table");
const said = document.getElementById("said");
const keysOn = document.getElementById("keys-on");

// Between two looks, by whose turn it is. A page that is not seen looks on: that is how the arena
// knows that somebody sits here. Browsers slow that down, but not below once a minute.
const PAUSE_MS = { others: 500, mine: 5000 };
const TROUBLE_MS = 3000;

// What happened is shown on the table as it lay before, one move after the other, but nobody waits
// for that longer than this.
const SHOW_MS = 3200;
const MOVE_MS = 420;
const MOMENT_MS = 2600;
const UNDO_MS = 1000; // a choice that reveals nothing is sent after so long
const SURE_MS = 6000; // a press on "Quit the round" asks for a second one for so long

let busy = false; // a move is on its way
let held = false; // the keyboard was in the part when that move was sent
let timer = 0;

const playing = () => table.querySelector(".playing");

// What is in a part that was not there before: moves, and rounds that ended.
function newIn(part) {
  const known = Math.max(-1, ...numbers(table, "number"));
  const ended = Math.max(-1, ...numbers(table, "round"));
  return [...part.querySelectorAll(".events > li")].filter(
    (line) => Number(line.dataset.number ?? -1) > known || Number(line.dataset.round ?? -1) > ended,
  );
}

function numbers(part, kind) {
  return [...part.querySelectorAll(`.events > li[data-${kind}]`)].map((line) => Number(line.dataset[kind]));
}

let hurried = false; // somebody pressed something while the table showed what happened

// While others move, the table does not say that it is the person's turn.
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

// A round has ended: its result lies over the table for a moment, or until something is pressed.
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

async function put(html) {
  const part = document.createElement("template");
  part.innerHTML = html;
  const before = playing()?.dataset.turn;
  await showAll(part.content);
  swap(html);
  land();
  const turn = playing()?.dataset.turn;
  if (turn === "over" && before !== "over") {
    sound.play("match");
    if (playing().dataset.won !== undefined && !isCalm()) celebrate(table.querySelector(".felt"));
  }
  else if (turn === "mine" && before !== "mine") sound.play("turn");
}

function swap(html) {
  const inside = held || table.contains(document.activeElement);
  const open = table.querySelector("details")?.open;
  const undealt = !table.querySelector(".board");
  table.innerHTML = html;
  if (undealt) scrollToTable();
  const list = table.querySelector(".since .list");
  if (list) list.scrollTop = list.scrollHeight;
  if (open && table.querySelector("details")) table.querySelector("details").open = true;
  // Before the buttons, not on one: whoever pressed twice shall not have played twice.
  if (inside) table.querySelector("#panel")?.focus({ preventScroll: true });
  offerPicking(table);
  title(playing()?.dataset.turn);
  tell(table.querySelector(".saying")?.textContent || "");
}

let scrolledTo = 0; // who is elsewhere wants to be there
// On a telephone the page begins where the table does, and on a low one where the seats do.
// Not by scrollIntoView, from which on Chromium 150 the Tab key begins there and not at the top.
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

function trouble(sentence) {
  let line = table.querySelector(".notice-line");
  if (!line) {
    line = document.createElement("p");
    line.className = "form-problem notice-line";
    line.setAttribute("role", "alert");
    (playing() || table).prepend(line);
  }
  line.textContent = sentence;
}

// What went wrong, from a page that is not the part asked for.
async function problemOf(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const sentence = page.querySelector("main p")?.textContent.trim();
  return sentence || "The dashboard does not answer as it should. Trying again.";
}

async function take(response) {
  if (response.status === 204) return table.querySelector("[data-lost]")?.remove();
  const text = response.headers.get("content-type")?.startsWith("text/html");
  if (text && (response.ok || response.status === 409)) {
    const html = await response.clone().text();
    if (html.includes('class="playing"')) return await put(html);
  }
  throw new Error(await problemOf(response));
}

function next(ms) {
  clearTimeout(timer);
  const turn = playing()?.dataset.turn;
  if (turn !== "over") timer = setTimeout(look, ms ?? PAUSE_MS[turn] ?? PAUSE_MS.others);
}

let looking = false; // what was fetched is being shown

async function look() {
  if (busy || looking) return next();
  looking = true;
  const key = playing()?.dataset.key || "";
  try {
    const response = await fetch(`${table.dataset.address}?seen=${encodeURIComponent(key)}`, {
      headers: { "HX-Request": "true" },
    });
    if (!busy) await take(response);
    next();
  } catch (error) {
    trouble(error instanceof TypeError ? "The dashboard cannot be reached. Trying again." : error.message);
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

// Whether a choice is to be sent: for a moment it can be undone, unless it shows something new.
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

// Quitting takes two presses, by mouse as by key.
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
  if (!keysOn.checked || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, select, textarea") && event.target !== keysOn) return;
  const button = buttonOf(event);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.focus();
  // Q asks and leads to the button; Enter then quits.
  if (!button.classList.contains("sure")) button.click();
});

// A digit is a key of the keyboard, wherever a layout has it: with Shift it may be another card.
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
