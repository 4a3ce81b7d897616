"use strict";

// Draws every <figure class="chart"> from the JSON at its data-src. The macro `chart` of
// layout/charts.html makes such figures and documents their attributes. Rows are drawn as one line,
// optionally with a band, or as a line per key if the value is an object. The table of the figure
// is updated when new rows arrive.
(function () {
  const COLOURS = 6; // --chart-0 ... of charts.css; further lines are dashed
  const DASHES = [[], [9, 4], [3, 3], [12, 3, 3, 3], [6, 2], [1.5, 3.5]];
  const AXIS_FONT = 12;
  const WHOLE = Array.from({ length: 30 }, (_, at) => [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3)); // between ticks
  const charts = new Map();

  const dash = (line) => DASHES[(line + Math.floor(line / COLOURS)) % DASHES.length];
  const grouped = (text) => (text.length < 4 ? text : text.replace(/\B(?=(\d{3})+(?!\d))/g, ","));

  function written(value, places, rating = false) {
    if (value === null || value === undefined) return "–";
    const [whole, part] = Math.abs(value).toFixed(places).split(".");
    return (value < 0 ? "−" : "") + (rating ? whole : grouped(whole)) + (part ? `.${part}` : "");
  }

  // The decimals needed to distinguish the ticks of an axis.
  function placesOf(ticks) {
    const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : 1;
    const whole = (places) => Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) < 1e-6;
    return [0, 1, 2].find(whole) ?? 3;
  }

  function moment(seconds) {
    return new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }

  function made(name, className, parent, text) {
    const element = document.createElement(name);
    element.className = className;
    if (text) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  }

  class Chart {
    constructor(figure) {
      this.figure = figure;
      this.asks = figure.dataset;
      this.places = Number(this.asks.places || 0);
      this.holder = figure.querySelector(".chart-plot");
      this.reading = figure.querySelector(".chart-reading");
      this.hidden = new Set();
      this.sizes = new ResizeObserver(() => this.resize());
      figure.addEventListener("chart:refresh", () => this.load());
      this.load();
      if (this.asks.every) this.timer = setInterval(() => this.again(), 1000 * Number(this.asks.every));
    }

    again() {
      if (!document.hidden) this.load();
    }

    async load() {
      try {
        const answer = await fetch(this.asks.src, { headers: { Accept: "application/json" } });
        const told = await answer.json();
        if (!answer.ok) throw new Error(told.error);
        this.take(told[this.asks.rows]);
      } catch (error) {
        if (!this.plot) this.say(`The chart could not be loaded: ${error.message}`);
      }
    }

    take(rows) {
      const text = JSON.stringify(rows);
      if (!rows.length || text === this.last) return;
      const first = this.last === undefined;
      this.last = text;
      const names = this.columns(rows);
      const same = this.plot && names.join("\n") === this.names.join("\n");
      this.names = names;
      if (same) this.plot.setData(this.data);
      else this.draw();
      this.read(null);
      if (!first) this.tabulate(rows);
    }

    // The rows for uPlot: a list for x and one for each line, with null for gaps.
    columns(rows) {
      const { x, y, low, high } = this.asks;
      this.data = [rows.map((row) => row[x])];
      const several = rows.some((row) => row[y] !== null && typeof row[y] === "object");
      const names = several ? this.inOrder(rows.flatMap((row) => Object.keys(row[y] || {}))) : [this.asks.yTitle];
      for (const name of names)
        this.data.push(rows.map((row) => (several ? (row[y] || {})[name] : row[y]) ?? null));
      this.banded = Boolean(!several && low && high);
      if (this.banded) for (const end of [high, low]) this.data.push(rows.map((row) => row[end] ?? null));
      return names;
    }

    // Unique keys in the order of the table's columns.
    inOrder(keys) {
      const heads = [...this.figure.querySelectorAll("details thead th[data-key]")].map((head) => head.dataset.key);
      const known = new Set(keys);
      return [...new Set([...heads, ...keys])].filter((key) => known.has(key));
    }

    colour(name) {
      // The computed colour, because the property may have two values for the themes.
      const probe = made("i", "", this.figure);
      probe.style.forcedColorAdjust = "none";
      probe.style.color = `var(${name})`;
      const colour = getComputedStyle(probe).color;
      probe.remove();
      return colour;
    }

    draw() {
      if (this.plot) this.plot.destroy();
      this.sizes.disconnect();
      const size = { width: this.holder.clientWidth, height: this.holder.clientHeight };
      this.holder.replaceChildren(); // the server's drawing
      this.plot = new uPlot({ ...size, ...this.options() }, this.data, this.holder);
      // In a batch, it is drawn at once: Firefox does not wait with printing.
      this.plot.batch(() => this.names.forEach((name, line) => this.plot.setSeries(line + 1, { show: !this.hidden.has(name) })));
      if (this.names.length > 1) this.legend();
      this.sizes.observe(this.holder);
    }

    resize() {
      const width = this.holder.clientWidth;
      const height = this.holder.clientHeight;
      if (width && (width !== this.plot.width || height !== this.plot.height)) this.plot.setSize({ width, height });
    }

    options() {
      const time = "time" in this.asks;
      return {
        scales: { x: { time }, y: { range: (_, low, high) => this.range(low, high) } },
        series: [{}, ...this.names.map((_, line) => this.line(line)), ...(this.banded ? [{}, {}].map(() => this.edge()) : [])],
        bands: this.banded ? [{ series: [2, 3], fill: this.colour("--chart-band") }] : [],
        axes: [{ ...this.axis(this.asks.xTitle, time ? undefined : 0), size: 26, ...(time ? {} : { incrs: WHOLE }) }, this.axis("", this.places, (...tick) => this.written(...tick))],
        legend: { show: false },
        cursor: { y: false, drag: { setScale: true, x: true, y: false }, focus: { prox: this.names.length > 1 ? 24 : -1 } },
        focus: { alpha: 0.3 },
        padding: [10, 14, 0, 4],
        hooks: {
          setCursor: [(plot) => this.read(plot.cursor.idx)],
          setSeries: [(_, series, options) => "focus" in options && this.mark(series)],
          drawAxes: [(plot) => this.rule(plot)],
          draw: [(plot) => this.markCut(plot)],
        },
      };
    }

    line(line) {
      return {
        label: this.names[line],
        stroke: this.colour(`--chart-${line % COLOURS}`),
        width: 2,
        dash: dash(line),
        spanGaps: true,
        points: { show: this.data[0].length < 2 },
      };
    }

    edge() {
      return { stroke: "transparent", width: 0, points: { show: false } };
    }

    axis(label, places, write = written) {
      const font = `${AXIS_FONT}px ${getComputedStyle(this.figure).fontFamily}`;
      const soft = this.colour("--soft");
      const grid = { stroke: this.colour("--line"), width: 1 };
      const values = places === undefined ? {} : { values: (_, ticks) => ticks.map((tick) => write(tick, placesOf(ticks))) };
      const named = label ? { label, labelFont: font, labelSize: 20, labelGap: 0 } : {};
      return { stroke: soft, font, grid, ticks: { ...grid, size: 4 }, gap: 4, ...named, ...values };
    }

    // A y value as text; ratings have no thousands separator, as on all pages.
    written(value, places = this.places) {
      return written(value, places, this.asks.y === "elo");
    }

    // The range of y, with a margin, and a minimum so that flat lines look flat.
    range(low, high) {
      if (low === null) return [0, 1];
      if (this.banded) [low, high] = this.reach();
      if ("cut" in this.asks) [low, high] = this.ofTheMany(low, high);
      const least = Number(this.asks.span || 0);
      const step = 0.5 / 10 ** Number(this.asks.places);
      const room = Math.max(0.06 * (high - low), (least - (high - low)) / 2, step);
      return [low - room, high + room];
    }

    // The visible range of a line and its band, without the wide beginning of the band.
    reach() {
      const [, line, top, bottom] = this.data;
      const shown = top.length > 10 ? Math.floor(top.length / 10) : 0;
      const values = [...line, ...top.slice(shown), ...bottom.slice(shown)].filter((value) => value !== null);
      return [Math.min(...values), Math.max(...values)];
    }

    // The visible lines with their values.
    lines() {
      return this.names
        .map((name, line) => ({ name, line, values: this.data[line + 1].filter((value) => value !== null) }))
        .filter(({ name, values }) => values.length && !this.hidden.has(name));
    }

    // The visible range without outlying lines, by Tukey's rule on the last values: outliers are more
    // than 1.5 interquartile ranges away from the quartiles.
    ofTheMany(low, high) {
      const lines = this.lines();
      if (lines.length < 4) return [low, high];
      const ends = lines.map(({ values }) => values.at(-1)).sort((one, other) => one - other);
      const quartile = (share) => ends[Math.round(share * (ends.length - 1))];
      const far = 1.5 * Math.max(quartile(0.75) - quartile(0.25), Number(this.asks.cut));
      const [least, most] = [quartile(0.25) - far, quartile(0.75) + far];
      const near = lines.filter(({ values }) => values.at(-1) >= least && values.at(-1) <= most).flatMap(({ values }) => values);
      return [Math.max(Math.min(...near), least), Math.min(Math.max(...near), most)];
    }

    // The lines that end off the chart: "up" or "down" by line.
    beyond(plot) {
      const { min, max } = plot.scales.y;
      const ends = this.lines().map(({ line, values }) => [line, values.at(-1)]);
      return new Map(ends.filter(([, end]) => end < min || end > max).map(([line, end]) => [line, end > max ? "up" : "down"]));
    }

    // Writes the name and value of such a line at the edge.
    markCut(plot) {
      if (!("cut" in this.asks)) return;
      const { left, top, width, height } = plot.bbox;
      const step = (AXIS_FONT + 4) * devicePixelRatio;
      const rows = { up: 0, down: 0 };
      const { ctx } = plot;
      ctx.save();
      ctx.font = `600 ${AXIS_FONT * devicePixelRatio}px ${getComputedStyle(this.figure).fontFamily}`;
      ctx.textAlign = "right";
      for (const [line, way] of this.beyond(plot)) {
        const row = rows[way]++;
        ctx.textBaseline = way === "up" ? "top" : "bottom";
        const value = this.written(this.data[line + 1].findLast((one) => one !== null));
        const text = `${this.names[line]} ${value} ${way === "up" ? "▲" : "▼"}`;
        const [right, edge] = [left + width - 6, way === "up" ? top + 4 + row * step : top + height - 4 - row * step];
        const wide = ctx.measureText(text).width + 8;
        ctx.fillStyle = this.colour("--sheet"); // hides lines behind the text
        ctx.fillRect(right - wide + 4, way === "up" ? edge - 2 : edge - step + 2, wide, step);
        ctx.fillStyle = this.colour(`--chart-${line % COLOURS}`);
        ctx.fillText(text, right, edge);
      }
      ctx.restore();
    }

    // A horizontal line at a reference value.
    rule(plot) {
      if (!this.asks.rule) return;
      const at = Math.round(plot.valToPos(Number(this.asks.rule), "y", true));
      const { left, top, width, height } = plot.bbox;
      if (at < top || at > top + height) return;
      plot.ctx.save();
      plot.ctx.strokeStyle = this.colour("--soft");
      plot.ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
      plot.ctx.beginPath();
      plot.ctx.moveTo(left, at);
      plot.ctx.lineTo(left + width, at);
      plot.ctx.stroke();
      plot.ctx.restore();
    }

    say(sentence) {
      if (this.reading) this.reading.textContent = sentence;
    }

    // Shows the values under the pointer, or the last ones.
    read(index) {
      const at = index ?? this.data[0].length - 1;
      const x = "time" in this.asks ? moment(this.data[0][at]) : `${this.asks.xTitle} ${written(this.data[0][at], 0)}`;
      const values = this.names.map((_, line) => this.written(this.data[line + 1][at]));
      if (this.names.length > 1) {
        this.say(x);
        (this.buttons || []).forEach((button, line) => (button.lastChild.textContent = values[line]));
        return;
      }
      const [high, low] = this.banded ? this.data.slice(-2).map((column) => this.written(column[at])) : [];
      this.say(`${x}: ${this.names[0]} ${values[0]}${this.banded ? ` (${low} to ${high})` : ""}`);
    }

    // The legend; a press hides or shows a line.
    legend() {
      if (this.list) this.list.remove();
      this.list = made("ul", "chart-legend");
      this.holder.after(this.list);
      this.buttons = this.names.map((name, line) => {
        const button = made("button", "", made("li", "", this.list));
        button.type = "button";
        button.setAttribute("aria-pressed", String(!this.hidden.has(name)));
        button.append(this.sample(line), name, " ");
        made("b", "", button);
        button.addEventListener("click", () => this.toggle(line));
        return button;
      });
    }

    sample(line) {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      svg.setAttribute("class", `chart-sample chart-colour-${line % COLOURS}`);
      svg.setAttribute("viewBox", "0 0 28 4");
      svg.setAttribute("aria-hidden", "true");
      path.setAttribute("d", "M0 2H28");
      path.setAttribute("stroke-dasharray", dash(line).join(" ") || "none");
      svg.append(path);
      return svg;
    }

    toggle(line) {
      const name = this.names[line];
      if (!this.hidden.delete(name)) this.hidden.add(name);
      const shown = !this.hidden.has(name);
      this.buttons[line].setAttribute("aria-pressed", String(shown));
      this.plot.setSeries(line + 1, { show: shown });
    }

    // Highlights the line near the pointer in the legend.
    mark(series) {
      (this.buttons || []).forEach((button, line) => button.classList.toggle("near", series === line + 1));
    }

    // Rebuilds the table from the rows, by the attributes of its heads.
    tabulate(rows) {
      const table = this.figure.querySelector("details table");
      if (!table) return;
      const heads = [...table.querySelectorAll("thead th[data-field]")];
      const body = document.createElement("tbody");
      for (const row of rows) {
        const line = body.insertRow();
        heads.forEach((head, column) => {
          const cell = document.createElement(column ? "td" : "th");
          if (!column) cell.scope = "row";
          cell.className = head.className;
          const { field, key, kind, places } = head.dataset;
          const value = key === undefined ? row[field] : (row[field] || {})[key];
          const number = column ? this.written(value, Number(places || 0)) : written(value, Number(places || 0));
          cell.textContent = kind === "time" ? moment(value) : number;
          line.append(cell);
        });
      }
      table.tBodies[0].replaceWith(body);
    }

    end() {
      clearInterval(this.timer);
      this.sizes.disconnect();
      if (this.plot) this.plot.destroy();
    }
  }

  // Draws new figures, and drops those removed by a live update.
  function look() {
    for (const [figure, chart] of charts) {
      if (!figure.isConnected) {
        chart.end();
        charts.delete(figure);
      }
    }
    for (const figure of document.querySelectorAll("figure.chart[data-src]"))
      if (!charts.has(figure)) charts.set(figure, new Chart(figure));
  }

  document.addEventListener("htmx:load", look);
  function recolour() {
    for (const chart of charts.values()) {
      if (!chart.plot) continue;
      chart.draw();
      chart.read(null); // the values of the new legend
    }
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  document.addEventListener("theme", recolour);

  // Paper is light.
  const root = document.documentElement;
  let screen;
  window.addEventListener("beforeprint", function () {
    screen ??= { theme: root.dataset.theme };
    root.dataset.theme = "light";
    recolour();
  });
  window.addEventListener("afterprint", function () {
    if (screen?.theme) root.dataset.theme = screen.theme;
    else delete root.dataset.theme;
    screen = null;
    recolour();
  });
  look();
})();
