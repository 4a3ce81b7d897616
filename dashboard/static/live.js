"use strict";

// Updates fragments with data-live="TOPIC" (by htmx, on the event "live") when their data-mark is
// outdated. /events streams the newest marks; without a stream, fragments are polled. Nothing is
// fetched while the page is hidden, and no fragment while it has the focus or a selection.
(function () {
  const ASK_S = 5; // between polls without a stream
  const SELDOM_S = 20; // between polls on a page without live fragments of its content
  const AGAIN_S = 30; // until a refused stream is requested again
  const PATIENCE_S = 10; // a stream that does not open by then is blocked on its way
  // A browser opens at most six connections to a server, so streams must leave some free.
  const SLOTS = ["arena-stream-1", "arena-stream-2", "arena-stream-3"];
  const SLOT_MS = 5000; // a page must renew its slot within this time
  const me = Math.random().toString(36).slice(2);
  const marks = new Map(); // topic -> newest mark
  const asked = new Map(); // id of a fragment -> when it was last fetched
  let stream = null;
  let heard = ""; // the topics of the stream, as in its URL
  let since = 0; // when the stream was requested; 0 once it is open
  let refused = 0; // when a stream was last refused

  const seconds = () => performance.now() / 1000;

  const topicOf = (part) => part.dataset.live || part.dataset.rides;

  // The outage banner is on every page. Alone, it is polled and gets no stream.
  const parts = () => Array.from(document.querySelectorAll("[data-live], [data-rides]"));
  const hasLive = () => document.querySelector("[data-live]") !== null;

  // Shows when the dashboard cannot be reached, and marks outdated fragments.
  const LOST_S = 4; // without a stream that was open before
  const line = document.getElementById("lost");
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  let heardAt = new Date(); // when the dashboard last answered
  let checking = false;

  function lost(gone) {
    if (gone && line.hidden)
      line.firstElementChild.textContent =
        `The dashboard cannot be reached. This page was last updated at ${clock.format(heardAt)}. Trying again.`;
    if (!gone) heardAt = new Date();
    line.hidden = !gone;
    for (const part of document.querySelectorAll("[data-live]")) part.classList.toggle("stale", gone);
  }

  async function check() {
    if (checking || document.hidden) return;
    checking = true;
    try {
      lost(!(await fetch("/livez", { cache: "no-store" })).ok);
    } catch {
      lost(true);
    }
    checking = false;
  }

  function busy(part) {
    const focus = document.activeElement;
    const selection = document.getSelection();
    return (
      (part.contains(focus) && focus.matches(":focus-visible")) ||
      (selection && !selection.isCollapsed && part.contains(selection.anchorNode))
    );
  }

  function refresh() {
    if (document.hidden) return;
    const now = seconds();
    const alone = !stream || (since && now - since > PATIENCE_S);
    const pause = hasLive() ? ASK_S : SELDOM_S;
    for (const part of parts()) {
      const { every } = part.dataset;
      const [live, mark] = [topicOf(part), part.dataset.mark || part.dataset.seal];
      if (!asked.has(part.id)) asked.set(part.id, now); // came with the page
      const due = now - asked.get(part.id) >= Math.max(Number(every), alone ? pause : 0);
      const old = alone || (marks.has(live) && marks.get(live) !== mark);
      if (!due || !old || busy(part)) continue;
      asked.set(part.id, now);
      htmx.trigger(part, "live");
    }
  }

  function hear(event) {
    const [topic, mark] = event.data.split(" ");
    marks.set(topic, mark);
    refresh();
  }

  function leave() {
    if (stream) stream.close();
    stream = null;
    heard = "";
    for (const slot of SLOTS) if (holder(slot) === me) localStorage.removeItem(slot);
  }

  // The page that holds a slot, which stores the page's id and the time of its last renewal.
  function holder(slot) {
    try {
      const [page, at] = (localStorage.getItem(slot) || "").split(" ");
      return Math.abs(Date.now() - Number(at)) < SLOT_MS ? page : "";
    } catch {
      return "";
    }
  }

  // Whether this page may have a stream; always without local storage.
  function holds() {
    const slot = SLOTS.find((one) => holder(one) === me) || SLOTS.find((one) => !holder(one));
    try {
      if (slot) localStorage.setItem(slot, `${me} ${Date.now()}`);
    } catch {}
    return Boolean(slot);
  }

  // Keeps one stream for the topics of the page; hidden pages close theirs.
  function listen() {
    if (stream && stream.readyState === EventSource.CLOSED) leave(); // without an error: Firefox, when a download starts
    const topics = document.hidden || !hasLive() ? [] : [...new Set(parts().map(topicOf))].sort();
    const wanted = topics.map((topic) => `topic=${encodeURIComponent(topic)}`).join("&");
    if (!wanted) return leave();
    if (wanted !== heard && refused && seconds() - refused < AGAIN_S) return;
    if (!holds()) return leave();
    if (wanted === heard) return;
    if (stream) stream.close();
    heard = wanted;
    since = seconds();
    stream = new EventSource(`/events?${wanted}`);
    stream.addEventListener("mark", hear);
    stream.addEventListener("open", () => (since = refused = 0));
    stream.addEventListener("error", () => {
      since = since || seconds();
      if (stream && stream.readyState === EventSource.CLOSED) {
        refused = seconds();
        leave();
      }
    });
  }

  function keepUp() {
    listen();
    refresh();
    if (!line.hidden || (since && seconds() - since > LOST_S)) check();
    else if (stream && !since) heardAt = new Date();
  }

  // A new version of a fragment keeps what was typed in it.
  const typed = (node) => node instanceof HTMLInputElement && node.type === "text" && node.value !== node.defaultValue;
  Idiomorph.defaults.callbacks.beforeNodeMorphed = (node) => !typed(node);

  document.addEventListener("visibilitychange", keepUp);
  document.addEventListener("htmx:sendError", check);
  document.addEventListener("htmx:responseError", check); // a proxy without its dashboard
  document.addEventListener("htmx:afterRequest", (event) => event.detail.successful && lost(false));
  window.addEventListener("offline", check);
  document.addEventListener("htmx:afterSettle", listen);
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", keepUp);
  setInterval(keepUp, 1000);
  keepUp();
})();
