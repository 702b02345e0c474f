// Plots one below the other: they share their times, and clicking one moves the bodies.
import { button, el, tick, toggle } from "./dom.js";
import { Plot } from "./plot.js";
import { onTheme } from "./theme.js";

const FILTER_FROM = 12; // channels from which on a field to search them helps

export class Plots {
  /**
   * @param {object} scene
   * @param {HTMLElement} host
   * @param {import("./clock.js").Clock} clock
   */
  constructor(scene, host, clock) {
    Object.assign(this, { scene, host, clock, plots: new Map(), view: { start: clock.start, end: clock.end } });
    this.list = el("div", { class: "kf-plots" });
    this.reset = button("whole time", "Show all times again (double click)", () => this.zoom(clock.start, clock.end), { hidden: true });
    this.tray = this.chooser();
    const choose = toggle("channels ▾", "Choose what is plotted", false, (on) => (this.tray.hidden = !on));
    const hint = el("span", { class: "kf-soft kf-mouse" }, "Point for values, click to go to a time, drag to zoom, drag with Shift to move in time.");
    host.append(el("div", { class: "kf-bar" }, choose, this.reset, hint), this.tray, this.list);
    for (const data of scene.plots) if (data.shown) this.show(data, true);
    new ResizeObserver(() => this.draw()).observe(this.list);
    onTheme(() => this.draw());
    clock.onChange(() => this.move());
  }

  chooser() {
    this.boxes = new Map();
    const list = el("div", { class: "kf-list" });
    for (const data of this.scene.plots) {
      const twice = this.scene.plots.filter((other) => other.name === data.name).length > 1;
      const box = tick(twice ? `${data.name} in ${data.unit || "1"}` : data.name, Boolean(data.shown), (on) => this.show(data, on));
      this.boxes.set(data, box);
      list.append(box);
    }
    const search = el("input", { type: "search", placeholder: "search channels", "aria-label": "Search channels" });
    search.addEventListener("input", () => {
      for (const [data, box] of this.boxes) box.hidden = !data.name.toLowerCase().includes(search.value.trim().toLowerCase());
    });
    return el("div", { class: "kf-tray", hidden: true, "aria-label": "Channels" }, this.scene.plots.length >= FILTER_FROM ? search : null, list);
  }

  /** Add or remove the plot of a channel; plots keep the order of the scene. */
  show(data, on) {
    this.boxes.get(data).box.checked = on;
    if (!on) {
      this.plots.get(data)?.element.remove();
      this.plots.delete(data);
      return;
    }
    if (this.plots.has(data)) return;
    const plot = new Plot(data, this.scene, this);
    this.plots.set(data, plot);
    const order = this.scene.plots.filter((d) => this.plots.has(d));
    const next = order[order.indexOf(data) + 1];
    this.list.insertBefore(plot.element, next ? this.plots.get(next).element : null);
    plot.draw();
  }

  draw() {
    for (const plot of this.plots.values()) plot.draw();
  }

  /** Show the last so many seconds, and room for them at the start, unless the reader has chosen other times. */
  keepUp(window) {
    const { clock } = this;
    const end = Math.max(clock.end, clock.start + window);
    if (this.reset.hidden) this.view = { start: Math.max(clock.start, end - window), end };
    this.draw();
  }

  move() {
    const { view, clock } = this;
    const width = view.end - view.start;
    if (clock.playing && (clock.time > view.end || clock.time < view.start)) {
      const start = Math.min(Math.max(clock.time, clock.start), clock.end - width);
      return this.zoom(start, start + width);
    }
    for (const plot of this.plots.values()) plot.move(clock.time);
  }

  /** Values at a time that the pointer is at, in all plots; null for those at the time that is shown. */
  point(t) {
    for (const plot of this.plots.values()) plot.point(t);
  }

  /** Show times from start to end only. */
  zoom(start, end) {
    const { clock } = this;
    const least = clock.duration * 1e-6;
    if (!(end - start > least)) return;
    this.view = { start: Math.max(start, clock.start), end: Math.min(end, clock.end) };
    this.reset.hidden = this.view.start <= clock.start && this.view.end >= clock.end;
    this.draw();
  }

  /** Clicks, drags and the wheel on a plot. */
  listen(plot) {
    const { area, brush } = plot;
    const pixel = (event) => event.clientX - area.getBoundingClientRect().left;
    let from = null;
    area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      area.setPointerCapture(event.pointerId);
      from = { pixel: pixel(event), zoom: !event.shiftKey };
      if (!from.zoom) this.clock.pause(), this.clock.seek(plot.time(pixel(event)));
    });
    area.addEventListener("pointermove", (event) => {
      if (!from) return event.pointerType === "mouse" && this.point(plot.time(pixel(event)));
      if (!from.zoom) return this.clock.seek(plot.time(pixel(event)));
      const [a, b] = [from.pixel, pixel(event)].sort((p, q) => p - q);
      brush.hidden = false;
      Object.assign(brush.style, { left: `${a}px`, width: `${b - a}px` });
    });
    area.addEventListener("pointerup", (event) => {
      if (from?.zoom && Math.abs(pixel(event) - from.pixel) > 4) {
        const [a, b] = [from.pixel, pixel(event)].sort((p, q) => p - q);
        this.zoom(plot.time(a), plot.time(b));
      } else if (from?.zoom) {
        this.clock.pause();
        this.clock.seek(plot.time(from.pixel));
      }
      from = null;
      brush.hidden = true;
    });
    area.addEventListener("pointercancel", () => {
      from = null;
      brush.hidden = true;
    });
    area.addEventListener("pointerleave", () => this.point(null));
    area.addEventListener("dblclick", () => this.zoom(this.clock.start, this.clock.end));
    area.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && !event.metaKey) return; // a plain wheel scrolls the page
      event.preventDefault();
      const middle = plot.time(pixel(event));
      const factor = Math.exp((event.deltaY || event.deltaX) * 0.0015);
      this.zoom(middle - (middle - this.view.start) * factor, middle + (this.view.end - middle) * factor);
    }, { passive: false });
  }
}
