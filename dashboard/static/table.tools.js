// The buttons above a table: sound, undo, and the game in one minute. That lesson opens by itself
// at the first visit to a game.

import * as sound from "./table.sound.js";

const LESSONS = "arena-lessons";
const UNDO = "arena-undo";
const tools = document.getElementById("tools");
const keysOn = document.getElementById("keys-on");

// Whether a key may be a shortcut of the page: they are on, no dialog is open, and nothing is typed.
export function isShortcut(event) {
  if (!keysOn.checked || document.querySelector("dialog[open]")) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return event.target === keysOn || !event.target.closest("input, select, textarea");
}
const lesson = document.getElementById("lesson");

function learned() {
  try {
    return (localStorage.getItem(LESSONS) || "").split(" ");
  } catch {
    return [lesson.dataset.game]; // without storage, it never opens by itself
  }
}

function remember() {
  try {
    localStorage.setItem(LESSONS, [...new Set([...learned(), lesson.dataset.game])].join(" ").trim());
  } catch {}
}

function goTo(number) {
  const steps = [...lesson.querySelectorAll(".lesson-step")];
  steps.forEach((step, i) => (step.hidden = i !== number));
  lesson.dataset.at = number;
  lesson.querySelector(".lesson-count").textContent = `${number + 1} of ${steps.length}`;
  const last = number === steps.length - 1;
  const next = lesson.querySelector("[data-lesson=next]");
  const back = lesson.querySelector("[data-lesson=back]");
  if (back === document.activeElement && number === 0) next.focus(); // a disabled button loses the focus
  back.disabled = number === 0;
  next.textContent = last ? next.dataset.last : "Next";
  lesson.querySelector("[data-lesson=skip]").hidden = last;
}

function teach() {
  goTo(0);
  lesson.showModal();
  lesson.querySelector("[data-lesson=next]").focus();
}

const STEPS = {
  skip: () => lesson.close(),
  back: () => goTo(Math.max(Number(lesson.dataset.at) - 1, 0)),
  next: function () {
    const at = Number(lesson.dataset.at) + 1;
    if (at < lesson.querySelectorAll(".lesson-step").length) goTo(at);
    else lesson.close();
  },
};

lesson?.addEventListener("click", (event) => STEPS[event.target.dataset.lesson]?.());
lesson?.addEventListener("close", remember);
lesson?.addEventListener("keydown", function (event) {
  if (event.key === "ArrowRight") STEPS.next();
  if (event.key === "ArrowLeft") STEPS.back();
});

let undo = readUndo();

function readUndo() {
  try {
    return localStorage.getItem(UNDO) !== "off";
  } catch {
    return true;
  }
}

function toggleUndo() {
  undo = !undo;
  try {
    localStorage.setItem(UNDO, undo ? "on" : "off");
  } catch {}
}

// Whether choices can be undone for a moment.
export const canUndo = () => undo;

const SWITCHES = { sound: [sound.toggle, sound.isOn], undo: [toggleUndo, canUndo] };

function sayWhetherOn(button) {
  const isOn = SWITCHES[button.dataset.tool][1];
  button.setAttribute("aria-pressed", String(isOn()));
}

tools?.addEventListener("click", function (event) {
  const { tool } = event.target.dataset;
  if (tool === "lesson") teach();
  if (!(tool in SWITCHES)) return;
  SWITCHES[tool][0]();
  sayWhetherOn(event.target);
});

if (tools) {
  for (const tool of tools.querySelectorAll("[aria-pressed]")) sayWhetherOn(tool);
  tools.removeAttribute("data-off");
}
if (lesson && lesson.hasAttribute("data-first") && !learned().includes(lesson.dataset.game)) teach();
