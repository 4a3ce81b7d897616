// The table, kept up to date: what others do is fetched, what is pressed is sent, and the part of
// the page that changes is put in place without a new page. Without this script the same buttons
// send the same form.

import "./table.tools.js";
import { hurry, isCalm, land, moveOf, show } from "./table.moves.js";
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

async function showAll(part) {
  const lines = table.querySelector(".board") && table.querySelector(".events") ? newIn(part) : [];
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
  if (turn === "over" && before !== "over") sound.play("match");
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
  const turn = playing()?.dataset.turn;
  document.title = document.title.replace(/^[^·]*/, turn === "mine" ? "Your turn " : "Your table ");
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

async function send(form, button) {
  if (busy) return;
  busy = true;
  held = table.contains(document.activeElement);
  const body = new URLSearchParams(new FormData(form));
  body.append(button.name, button.value);
  button.classList.add("chosen");
  table.querySelectorAll("button[name=choice]").forEach((one) => (one.disabled = true));
  try {
    await take(await fetch(button.getAttribute("formaction") || form.action, { method: "POST", body, headers: { "HX-Request": "true" } }));
    next(playing()?.dataset.turn === "others" ? 100 : undefined);
  } catch (error) {
    table.querySelectorAll("button[name=choice]").forEach((one) => (one.disabled = false));
    button.classList.remove("chosen");
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
  send(event.target, event.submitter);
});

document.addEventListener("keydown", function (event) {
  if (!keysOn.checked || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, select, textarea") && event.target !== keysOn) return;
  const key = event.key.toLowerCase();
  const button = [...table.querySelectorAll("button[data-key]")].find((one) => one.dataset.key === key);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.focus();
  // Leaving the round cannot be taken back: its key only leads there.
  if (!button.classList.contains("act-leave")) button.click();
});

document.addEventListener("visibilitychange", () => document.hidden || next(0));
window.addEventListener("pageshow", (event) => event.persisted && next(0));

document.getElementById("keyboard").hidden = false;
scrollToTable();
const list = table.querySelector(".since .list");
if (list) list.scrollTop = list.scrollHeight;
next();
