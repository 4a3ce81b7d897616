"use strict";

// Converts times from UTC to the local time zone; the title of each has both, and the text of an
// appointment, too. Updated fragments are converted again.
(function () {
  const zone = new Intl.DateTimeFormat("en-GB", {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  });
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  const exact = new Intl.DateTimeFormat("en-GB", {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit",
    hourCycle: "h23", timeZoneName: "short",
  });

  // " (20:30 UTC)", with the day if it is another one; "" in UTC.
  function inUtc(at) {
    const clock = at.toISOString().slice(11, 16);
    if (at.getTimezoneOffset() === 0) return "";
    return at.getUTCDate() === at.getDate() ? ` (${clock} UTC)` : ` (${day.format(at)}, ${clock} UTC)`;
  }

  function local(time) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) return;
    const utc = time.dateTime.slice(0, 19).replace("T", " ");
    const title = `${exact.format(at)} (${utc} UTC)`;
    if (time.title !== title) time.title = title;
    const said = zone.format(at);
    const shown = { moment: said, appointment: said + inUtc(at) }[time.dataset.form];
    if (shown && time.textContent !== shown) time.textContent = shown;
  }

  // The remaining time, in the format of the server.
  function left(span) {
    const minutes = Math.ceil((Number(span.dataset.until) * 1000 - Date.now()) / 60000);
    const hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
    const said = minutes < 1 ? "(now)" : days ? `(in ${days} d ${hours % 24} h)`
      : hours ? `(in ${hours} h ${minutes % 60} min)` : `(in ${minutes} min)`;
    if (span.textContent !== said) span.textContent = said;
  }

  // The local time of a field in UTC.
  function meant(note) {
    const field = document.getElementById(note.dataset.meant), at = new Date(`${field.value}Z`);
    const said = isNaN(at) ? "" : `${zone.format(at)} in your time zone.`;
    if (note.textContent !== said) note.textContent = said;
  }

  function all(root) {
    for (const note of root.querySelectorAll("[data-meant]")) meant(note);
    for (const span of root.querySelectorAll("[data-until]")) left(span);
    for (const time of root.querySelectorAll("time[datetime]")) local(time);
  }

  for (const event of ["htmx:afterSwap", "htmx:afterSettle"])
    document.addEventListener(event, () => all(document));
  document.addEventListener("input", () => document.querySelectorAll("[data-meant]").forEach(meant));
  all(document);
  setInterval(() => document.querySelectorAll("[data-until]").forEach(left), 10000);
})();
