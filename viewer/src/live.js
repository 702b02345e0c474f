// A simulation that goes on while it is watched: samples come from the server, what the reader does goes to it.
import { sceneOf, samplesOf } from "./data.js";
import { alert, button, el, icon, toggle } from "./dom.js";
import { text } from "./numbers.js";

const ROOM = 4000; // samples that are kept
const SOFT = 0.25; // part of the way to the server's time that one frame catches up

/** The scene's arrays over time, in the server's order: who has each, by what name, and what stands for no sample. */
function slotsOf(scene) {
  const run = scene.runs[0];
  const found = [{ owner: run, key: "t", gap: Infinity }];
  const add = (owner, key, gap) => owner[key] && found.push({ owner, key, gap });
  add(run, "anchor", 0);
  for (const body of run.bodies) add(body, "pose", NaN), add(body, "modes", 0);
  for (const arrow of run.arrows) add(arrow, "at", 0), add(arrow, "vector", 0);
  for (const line of run.lines) add(line, "points", NaN);
  for (const plot of scene.plots) for (const line of plot.lines) add(line, "values", NaN);
  return found;
}

/** Makes room for samples to come in the arrays of a scene. */
export class Growth {
  constructor(scene) {
    this.slots = slotsOf(scene);
    this.count = scene.runs[0].t.length;
    for (const slot of this.slots) {
      const now = slot.owner[slot.key];
      slot.width = now.length / this.count;
      slot.array = Object.assign(new Float64Array(ROOM * slot.width).fill(slot.gap), { shape: [ROOM, ...now.shape.slice(1)] });
      slot.array.set(now);
      slot.owner[slot.key] = slot.array;
    }
  }

  get times() {
    return this.slots[0].array;
  }

  get first() {
    return this.times[0];
  }

  get last() {
    return this.times[this.count - 1];
  }

  /** Add samples; where there is no room, the older half goes. */
  add(arrays) {
    const more = arrays[0].length;
    if (this.count + more > ROOM) {
      const drop = Math.max(ROOM >> 1, this.count + more - ROOM);
      for (const { array, width, gap } of this.slots) array.copyWithin(0, drop * width, this.count * width).fill(gap, (this.count - drop) * width);
      this.count -= drop;
    }
    this.slots.forEach(({ array, width }, i) => array.set(arrays[i], this.count * width));
    this.count += more;
  }
}

/** Tell the server what the reader does. */
const tell = (message) => fetch("told", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) }).catch(() => {});

/** Run, step, reset, time and speed in the place of playback. */
export function liveBar(live, clock, growth) {
  const run = button(icon("pause"), "Pause (space)", () => tell({ do: live.running ? "pause" : "run" }), { class: "kf-play" });
  const step = button(icon("forward"), "One sample on (right arrow)", () => tell({ do: "step" }));
  const reset = button("reset", "Start anew (r)", () => tell({ do: "reset" }));
  const slider = el("input", { type: "range", step: "any", "aria-label": "Time", oninput: () => {
    if (live.running) tell({ do: "pause" }), (live.running = false);
    live.looking = Number(slider.value);
    clock.seek(live.looking);
  } });
  const time = el("output", { class: "kf-time", "aria-live": "off" });
  const speed = el("select", { "aria-label": "Speed", onchange: () => tell({ speed: Number(speed.value) }) }, ...[0.1, 0.2, 0.5, 1, 2, 5, 10].map((x) => el("option", { value: x }, `${x}×`)));
  const renew = () => {
    [slider.min, slider.max] = [growth.first, growth.last];
    slider.value = clock.time;
    slider.setAttribute("aria-valuetext", `${text(clock.time)} s`);
    slider.style.setProperty("--done", `${(100 * (clock.time - growth.first)) / (growth.last - growth.first || 1)}%`);
    time.replaceChildren(el("b", {}, clock.time.toFixed(2)), " s");
    if (run.dataset.running !== String(live.running)) {
      run.dataset.running = String(live.running);
      run.replaceChildren(icon(live.running ? "pause" : "play"));
      run.setAttribute("aria-label", live.running ? "Pause" : "Run");
    }
    if (document.activeElement !== speed) speed.value = String(live.speed);
  };
  clock.onChange(renew);
  renew();
  return el("div", { class: "kf-bar kf-playback" }, el("div", { class: "kf-group" }, run, step, reset), el("div", { class: "kf-track" }, slider), time, speed);
}

/** A slider with a number beside it, a switch, or a text; `send` gets what it is set to. */
function controlOf(control, send, auto) {
  const { name, value, unit } = control;
  const words = el("span", { class: "kf-what" }, name, unit ? el("span", { class: "kf-unit" }, unit) : null);
  if (typeof value === "boolean") {
    const box = el("input", { type: "checkbox", onchange: () => send(box.checked) });
    box.checked = value;
    return el("label", { class: "kf-control" }, words, box);
  }
  if (typeof value === "string") {
    const field = el("input", { type: "text", value, onchange: () => send(field.value) });
    return el("label", { class: "kf-control" }, words, field);
  }
  const shown = value ?? 0;
  const step = control.step ?? (control.high - control.low) / 200;
  const number = el("input", { type: "number", step: "any", value: Number(shown.toPrecision(6)), "aria-label": `${name}, number`, onchange: () => set(Number(number.value)) });
  const slider = el("input", { type: "range", min: control.low, max: control.high, step, value: shown, "aria-label": name, oninput: () => {
    number.value = Number(Number(slider.value).toPrecision(6));
    paint();
    if (auto) send(Number(slider.value)), by?.set(true);
  }, onchange: () => !auto && send(Number(slider.value)) });
  const paint = () => slider.style.setProperty("--done", `${(100 * (slider.value - slider.min)) / (slider.max - slider.min || 1)}%`);
  const set = (x) => {
    if (!Number.isFinite(x)) return;
    if (auto) [slider.min, slider.max] = [Math.min(slider.min, -2 * Math.abs(x)), Math.max(slider.max, 2 * Math.abs(x))];
    slider.value = x;
    paint();
    by?.set(true);
    send(x);
  };
  const by = auto ? toggle("by hand", `Drive ${name} by hand`, value !== null, (on) => send(on ? Number(slider.value) : null)) : null;
  paint();
  return el("div", { class: "kf-control", role: "group", "aria-label": name }, words, slider, number, by);
}

/** Parameters, which start the motion anew, and inputs, which count from now on. */
export function panel(live) {
  const part = (title, controls, word, auto) => controls.length ? el("fieldset", { class: "kf-controls" }, el("legend", {}, title),
    ...controls.map((control) => controlOf(control, (value) => ((control.value = value), tell({ [word]: control.name, value })), auto))) : null;
  const error = alert("");
  error.classList.add("kf-error");
  const element = el("div", { class: "kf-panel" }, error, part("Inputs", live.inputs, "input", true), part("Parameters", live.parameters, "parameter", false));
  return { element, say: (words) => ((error.hidden = !words), (error.textContent = words)) };
}

/** Actions of keys. */
export const liveKeys = (live) => ({
  " ": () => tell({ do: live.running ? "pause" : "run" }),
  ArrowRight: () => tell({ do: "step" }),
  r: () => tell({ do: "reset" }),
});

/**
 * Listen to the server.
 * @param {object} live state of the simulation, changed
 * @param {{more: Function, state: Function, scene: Function}} on what to do
 */
export function follow(live, on) {
  const events = new EventSource(`events?generation=${live.generation}`);
  let waiting = null; // messages behind a scene, whose numbers are read at their own pace
  const take = (message) => {
    if (waiting) return waiting.push(message);
    if (message.kind === "state") {
      const looking = message.running || message.t !== live.t ? null : live.looking; // who looks back while it stands still is left alone
      on.state(Object.assign(live, message, { at: performance.now(), looking }));
    } else if (message.kind === "more") on.more(samplesOf(message));
    else if (message.kind === "scene") {
      waiting = [];
      sceneOf(message).then((scene) => {
        on.scene(scene);
        const behind = waiting;
        waiting = null;
        behind.forEach(take);
      });
    }
  };
  events.addEventListener("message", (event) => take(JSON.parse(event.data)));
  if (matchMedia("(prefers-reduced-motion: reduce)").matches && live.t === 0) tell({ do: "pause" });
  return events;
}

/** Where the simulation is now, by the last that the server said; what is drawn follows it softly. */
export function timeNow(live, drawn, last) {
  if (live.looking !== null && live.looking !== undefined) return live.looking;
  const there = Math.min(live.t + (live.rate * (performance.now() - (live.at ?? performance.now()))) / 1000, last);
  return live.rate && drawn <= there ? drawn + SOFT * (there - drawn) : there;
}
