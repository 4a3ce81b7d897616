// The table, kept up to date: what others do is fetched, what is pressed is sent, and the part of
// the page that changes is put in place without a new page. Without this script the same buttons
// send the same form.

const table = document.getElementById("table");
const said = document.getElementById("said");
const keysOn = document.getElementById("keys-on");

// Between two looks, by whose turn it is. A page that is not seen looks on: that is how the arena
// knows that somebody sits here. Browsers slow that down, but not below once a minute.
const PAUSE_MS = { others: 500, mine: 5000 };
const TROUBLE_MS = 3000;

let busy = false; // a move is on its way
let held = false; // the keyboard was in the part when that move was sent
let timer = 0;

const playing = () => table.querySelector(".playing");

function put(html) {
  const inside = held || table.contains(document.activeElement);
  const open = table.querySelector("details")?.open;
  table.innerHTML = html;
  const list = table.querySelector(".since .list");
  if (list) list.scrollTop = list.scrollHeight;
  if (open && table.querySelector("details")) table.querySelector("details").open = true;
  // Before the buttons, not on one: whoever pressed twice shall not have played twice.
  if (inside) table.querySelector("#panel")?.focus({ preventScroll: true });
  const turn = playing()?.dataset.turn;
  document.title = document.title.replace(/^[^·]*/, turn === "mine" ? "Your turn " : "Your table ");
  tell(table.querySelector(".saying")?.textContent || "");
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
    if (html.includes('class="playing"')) return put(html);
  }
  throw new Error(await problemOf(response));
}

function next(ms) {
  clearTimeout(timer);
  const turn = playing()?.dataset.turn;
  if (turn !== "over") timer = setTimeout(look, ms ?? PAUSE_MS[turn] ?? PAUSE_MS.others);
}

async function look() {
  if (busy) return next();
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
const list = table.querySelector(".since .list");
if (list) list.scrollTop = list.scrollHeight;
next();
