// One plot of channels over time: curves on a canvas, the cursor above it as an element of its own.
import { button, el, icon, svg } from "./dom.js";
import { exportMenu } from "./exports.js";
import { placeOf, valueAt } from "./motion.js";
import { text, tickText, ticks } from "./numbers.js";
import { colors, lineColor } from "./theme.js";

export const HEIGHT = 168;
const MARGIN = { left: 66, right: 20, top: 10, bottom: 24 };
const SPARSE = 3; // points per pixel up to which all are drawn
const ROUNDING = 1e-10; // changes below this, beside the values, are not drawn as changes
const DASHES = [[], [6, 4], [2, 3], [9, 3, 2, 3]];

/** Lowest and highest finite value of lines between two times, widened a little. */
function extent(lines, view) {
  let [low, high] = [Infinity, -Infinity];
  for (const { t, values } of lines) {
    const [from, to] = [placeOf(t, view.start).k, Math.min(placeOf(t, view.end).k + 1, t.length - 1)];
    for (let k = from; k <= to; k++) {
      if (values[k] < low) low = values[k];
      if (values[k] > high) high = values[k];
    }
  }
  if (low > high) return [-1, 1];
  const room = high - low > ROUNDING * Math.max(Math.abs(low), Math.abs(high)) ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** Samples of a line to draw: all where they are few, else of each column of pixels the first, lowest, highest and last. */
function chosen({ t, values }, from, to, x) {
  const dense = (to - from) / Math.max(x(t[to]) - x(t[from]), 1) > SPARSE;
  if (!dense) return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const found = [];
  let column = null;
  const flush = () => column && found.push(...new Set([column.first, column.low, column.high, column.last].sort((a, b) => a - b)));
  for (let k = from; k <= to; k++) {
    const at = Math.floor(x(t[k]));
    if (column?.at !== at || Number.isNaN(values[k])) {
      flush();
      column = { at: Number.isNaN(values[k]) ? null : at, first: k, low: k, high: k, last: k };
      continue;
    }
    if (values[k] < values[column.low]) column.low = k;
    if (values[k] > values[column.high]) column.high = k;
    column.last = k;
  }
  flush();
  return found;
}

/** Draw a line on a canvas, with gaps where it has no value. */
function trace(pen, line, view, x, y) {
  const { t, values } = line;
  const [from, to] = [placeOf(t, view.start).k, Math.min(placeOf(t, view.end).k + 1, t.length - 1)];
  let open = false;
  pen.beginPath();
  for (const k of chosen(line, from, to, x)) {
    if (Number.isNaN(values[k])) open = false;
    else if (open) pen.lineTo(x(t[k]), y(values[k]));
    else pen.moveTo(x(t[k]), y(values[k])), (open = true);
  }
  pen.stroke();
}

export class Plot {
  /**
   * @param {object} data plot of the scene
   * @param {object} scene
   * @param {import("./plots.js").Plots} stack that holds it and the times shown
   */
  constructor(data, scene, stack) {
    Object.assign(this, { data, stack, comparison: scene.kind === "comparison" });
    const seen = {};
    this.lines = data.lines.map((line, i) => {
      const nth = (seen[line.run] = (seen[line.run] ?? -1) + 1);
      return { ...line, shown: true, t: scene.runs[line.run].t, color: () => lineColor(this.comparison ? line.run : i), dash: this.dash(line, i, nth) };
    });
    this.build();
  }

  dash(line, i, nth) {
    if (line.reference) return [5, 4];
    return DASHES[(this.comparison ? nth : Math.floor(i / colors().lines.length)) % DASHES.length];
  }

  build() {
    this.canvas = el("canvas", { role: "img", "aria-label": `${this.data.name} over time` });
    this.cursor = el("div", { class: "kf-cursor" });
    this.hair = el("div", { class: "kf-hair", hidden: true }, el("span", {}));
    this.brush = el("div", { class: "kf-brush", hidden: true });
    this.area = el("div", { class: "kf-area", style: `height:${HEIGHT}px` }, this.canvas, this.brush, this.cursor, this.hair);
    this.keys = this.lines.map((line) => {
      const value = el("span", { class: "kf-value" });
      const stroke = svg("line", { x1: 0, x2: 22, y1: 4, y2: 4, "stroke-width": 2.5, "stroke-dasharray": line.dash.join(" ") || "none" });
      const sample = svg("svg", { viewBox: "0 0 22 8", class: "kf-sample", "aria-hidden": "true" }, stroke);
      const name = line.label === this.data.name ? null : line.label;
      const hide = () => {
        line.shown = !line.shown;
        element.setAttribute("aria-pressed", String(line.shown));
        this.draw();
      };
      const one = this.lines.length === 1;
      const element = one ? el("span", { class: "kf-key" }, sample, name, value)
        : el("button", { type: "button", class: "kf-key", title: `Hide or show ${line.label}`, "aria-pressed": "true", onclick: hide }, sample, name, value);
      return { value, stroke, element };
    });
    const close = button(icon("close"), `Remove the plot of ${this.data.name}`, () => this.stack.show(this.data, false), { class: "kf-quiet" });
    const keep = exportMenu(this);
    const unit = this.data.unit ? el("span", { class: "kf-unit" }, this.data.unit) : null;
    const title = el("figcaption", {}, el("b", {}, this.data.name), unit);
    this.element = el("figure", { class: "kf-plot" }, el("div", { class: "kf-head" }, title, el("div", { class: "kf-keys" }, ...this.keys.map((k) => k.element)), keep, close), this.area);
    this.stack.listen(this);
  }

  get inner() {
    return { left: MARGIN.left, width: Math.max(this.area.clientWidth - MARGIN.left - MARGIN.right, 10) };
  }

  /** Pixel of a time and back, from the left edge of the area. */
  pixel(t) {
    const { view } = this.stack;
    return this.inner.left + (this.inner.width * (t - view.start)) / (view.end - view.start || 1);
  }

  time(pixel) {
    const { view } = this.stack;
    return view.start + ((pixel - this.inner.left) / this.inner.width) * (view.end - view.start);
  }

  draw() {
    const width = this.area.clientWidth;
    if (!width) return;
    const ratio = Math.min(devicePixelRatio, 2);
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(HEIGHT * ratio) });
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    this.drawWith(pen);
    this.keys.forEach(({ stroke }, i) => stroke.setAttribute("stroke", this.lines[i].color()));
    this.move(this.stack.clock.time);
  }

  /** Axes and curves with a pen, of a canvas or of what takes its strokes down. */
  drawWith(pen) {
    const { view } = this.stack;
    const { left, width: across } = this.inner;
    const bottom = HEIGHT - MARGIN.bottom;
    const [low, high] = extent(this.lines.filter((line) => line.shown), view);
    const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - MARGIN.top);
    this.grid(pen, { left, across, bottom, low, high, y });
    pen.save();
    pen.beginPath();
    pen.rect(left, MARGIN.top - 2, across, bottom - MARGIN.top + 4);
    pen.clip();
    pen.lineJoin = "round";
    const scale = across / (view.end - view.start || 1);
    const x = (t) => left + (t - view.start) * scale;
    for (let i = this.lines.length - 1; i >= 0; i--) {
      const line = this.lines[i];
      if (!line.shown) continue;
      Object.assign(pen, { strokeStyle: line.color(), lineWidth: line.reference ? 1.3 : 1.7, globalAlpha: line.reference ? 0.8 : 1 });
      pen.setLineDash(line.dash);
      trace(pen, line, view, x, y);
    }
    pen.restore();
  }

  /** Lines and words of the axes. Where values differ only in far digits, they are written as differences. */
  grid(pen, { left, across, bottom, low, high, y }) {
    const { ink, soft, grid, frame } = colors();
    const middle = (low + high) / 2;
    const base = high - low < 2e-4 * Math.abs(middle) ? Number(middle.toPrecision(6)) : 0;
    const level = ticks(low - base, high - base, 4);
    const moments = ticks(this.stack.view.start, this.stack.view.end, Math.max(2, Math.round(across / 110)));
    Object.assign(pen, { font: "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif", lineWidth: 1, fillStyle: soft, strokeStyle: grid });
    pen.beginPath();
    for (const v of level.values) {
      const py = Math.round(y(v + base)) + 0.5;
      pen.moveTo(left, py), pen.lineTo(left + across, py);
    }
    for (const v of moments.values) {
      const px = Math.round(this.pixel(v)) + 0.5;
      pen.moveTo(px, MARGIN.top), pen.lineTo(px, bottom);
    }
    pen.stroke();
    Object.assign(pen, { textAlign: "right", textBaseline: "middle" });
    for (const v of level.values) pen.fillText(tickText(v, level.step), left - 8, y(v + base));
    Object.assign(pen, { textAlign: "center", textBaseline: "top" });
    moments.values.forEach((v, i) => {
      const unit = i === moments.values.length - 1 ? " s" : "";
      pen.fillText(tickText(v, moments.step) + unit, this.pixel(v), bottom + 7);
    });
    if (base) {
      Object.assign(pen, { textAlign: "left", fillStyle: ink });
      pen.fillText(`${text(base, 6)} + …`, left + 6, MARGIN.top + 2);
    }
    pen.strokeStyle = frame;
    pen.strokeRect(left + 0.5, MARGIN.top + 0.5, across - 1, bottom - MARGIN.top);
  }

  /** Put the cursor to a time and the values beside the names. */
  move(t) {
    const px = this.pixel(t);
    const { left, width } = this.inner;
    this.cursor.style.transform = `translateX(${px}px)`;
    this.cursor.style.visibility = px >= left - 0.5 && px <= left + width + 0.5 ? "visible" : "hidden";
    if (this.hair.hidden) this.tell(t);
  }

  /** Values beside the names at a time. */
  tell(t) {
    this.keys.forEach(({ value }, i) => (value.textContent = text(valueAt(this.lines[i].values, placeOf(this.lines[i].t, t)), 5)));
  }

  /** A line where the pointer is, with its time, and the values there; null where it is nowhere. */
  point(t) {
    const { view, clock } = this.stack;
    this.hair.hidden = t === null || t < view.start || t > view.end;
    if (this.hair.hidden) return this.tell(clock.time);
    this.hair.style.transform = `translateX(${this.pixel(t)}px)`;
    this.hair.firstChild.textContent = `${text(t, 4)} s`;
    this.hair.classList.toggle("kf-left", this.pixel(t) > this.area.clientWidth - 90);
    this.tell(t);
  }

  /** Time at which the cursor stands, from its pixel. */
  cursorTime() {
    return this.time(this.cursor.getBoundingClientRect().left - this.area.getBoundingClientRect().left);
  }
}
