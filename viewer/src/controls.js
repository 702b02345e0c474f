// What stands below the drawing: playback, camera and what is drawn.
import { button, el, icon, svg, tick, toggle } from "./dom.js";
import { decimalsFor, roundNumber, text, tidy } from "./numbers.js";
import { DEFLECTION } from "./space.js";
import { SCALE } from "./surface.js";
import { colors, lineColor, onTheme } from "./theme.js";

export const VIEWS = ["iso", "front", "side", "top", "back", "bottom"];
const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];
const DEFORMATIONS = [0, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const LENGTHS = [0.1, 0.2, 0.5, 1, 2, 5, 10];
const ARROW = 60; // pixels of an arrow in the scale of arrows, nearly
const UNSEEN = 0.01; // deflection over the extent of all the motion, below which it is not seen
const SEEN = 0.05; // and up to which it is enlarged

/** Play, step, slider with marks of events, time and speed. */
export function playback(clock, scene, samples) {
  const play = button(icon("play"), "Play (space)", () => clock.toggle(), { class: "kf-play" });
  const slider = el("input", { type: "range", step: "any", "aria-label": "Time", oninput: () => clock.seek(Number(slider.value)) });
  const marks = el("div", { class: "kf-marks", "aria-hidden": "true" });
  const time = el("output", { class: "kf-time", "aria-live": "polite" });
  const speed = el("select", { "aria-label": "Playback speed", onchange: () => clock.setSpeed(speed.value === "fit" ? clock.fit : Number(speed.value)) });
  let range = "";
  const renew = () => {
    const decimals = decimalsFor(clock.duration);
    if (range !== `${clock.start} ${clock.end}`) {
      range = `${clock.start} ${clock.end}`;
      [slider.min, slider.max] = [clock.start, clock.end];
      marks.replaceChildren(...eventMarks(scene, clock));
    }
    slider.value = clock.time;
    slider.setAttribute("aria-valuetext", `${clock.time.toFixed(decimals)} s`);
    slider.style.setProperty("--done", `${(100 * (clock.time - clock.start)) / (clock.duration || 1)}%`);
    time.setAttribute("aria-live", clock.playing ? "off" : "polite");
    time.replaceChildren(el("b", {}, clock.time.toFixed(decimals).replace("-", "−")), ` / ${tidy(clock.end.toFixed(decimals))} s`);
    if (play.dataset.playing !== String(clock.playing)) {
      play.dataset.playing = String(clock.playing);
      play.replaceChildren(icon(clock.playing ? "pause" : "play"));
      play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    }
    if (Number(speed.dataset.speed) !== clock.speed || speed.dataset.fit !== String(clock.fit)) renewSpeeds(speed, clock);
  };
  clock.onChange(renew);
  renew();
  return el(
    "div",
    { class: "kf-bar kf-playback" },
    el("div", { class: "kf-group" }, button(icon("back"), "One sample back (left arrow)", () => samples.step(-1)), play, button(icon("forward"), "One sample on (right arrow)", () => samples.step(1))),
    el("div", { class: "kf-track" }, slider, marks),
    time,
    speed,
  );
}

function eventMarks(scene, clock) {
  const events = scene.runs.flatMap((run) => run.events ?? []).slice(0, 400);
  return events.map((e) => el("i", { style: `left:${(100 * (e.t - clock.start)) / (clock.duration || 1)}%`, title: `${e.name}, ${text(e.t)} s` }));
}

function renewSpeeds(select, clock) {
  const known = SPEEDS.includes(clock.speed) || clock.speed === clock.fit;
  const speeds = known ? SPEEDS : [...SPEEDS, clock.speed].sort((a, b) => a - b);
  const options = speeds.map((x) => el("option", { value: x }, `${text(x, 3)}×`));
  options.push(el("option", { value: "fit" }, `fit (${text(clock.fit, 2)}×)`));
  select.replaceChildren(...options);
  select.value = SPEEDS.includes(clock.speed) || clock.speed !== clock.fit ? String(clock.speed) : "fit";
  Object.assign(select.dataset, { speed: clock.speed, fit: clock.fit });
}

/** Camera views, what is followed, what is drawn. Returns the bar with the actions that keys use. */
export function drawing(space, scene, clock) {
  const { stage } = space;
  const renew = () => stage.request();
  const views = VIEWS.map((name, i) => button(name, `View from ${name} (${i + 1})`, () => space.look(name)));
  const fit = button("fit", "Fit everything into the drawing (0)", () => space.look("fit"));
  const axes = toggle("axes", "Axes of bodies and frames (a)", false, (on) => {
    for (const actor of space.actors) actor.axes(on);
    renew();
  });
  const grid = stage.grid && toggle("grid", `Ground, cells of ${text(space.cell)} m (g)`, true, (on) => {
    stage.grid.visible = on;
    renew();
  });
  const tint = colouring(space, scene);
  const trays = el("div", { class: "kf-trays" });
  const traces = layer(space.traces.all.length, "traces", "Paths (t)", space.traces.on, (on) => (space.traces.on = on), renew, traceTray(space, renew), trays);
  const arrows = layer(space.arrows.all.length, "loads", "Forces and torques (l)", space.arrows.on, (on) => space.arrows.show(on), renew, arrowTray(space, clock, renew), trays);
  if (arrows.buttons.length) stage.host.append(arrowScale(space));
  const follow = followed(space);
  const extras = [tint?.tagName === "BUTTON" ? null : tint, space.deforms ? deformation(space) : null, follow].filter(Boolean);
  const bar = el(
    "div",
    { class: "kf-bar" },
    el("div", { class: "kf-group", role: "group", "aria-label": "Camera" }, ...views, fit),
    el("div", { class: "kf-group", role: "group", "aria-label": "Drawn" }, ...[axes, grid, tint?.tagName === "BUTTON" ? tint : null, ...traces.buttons, ...arrows.buttons].filter(Boolean)),
    ...extras,
  );
  const press = (element) => element?.click();
  return { bar, trays, keys: { a: () => press(axes), c: () => (tint?.next ? tint.next() : press(tint)), g: () => press(grid), t: () => press(traces.buttons[0]), l: () => press(arrows.buttons[0]), f: () => follow.next() } };
}

/** A toggle and a button that opens its list; nothing where there is nothing to choose. */
function layer(count, name, title, on, set, renew, tray, trays) {
  if (!count) return { buttons: [] };
  const show = toggle(name, title, on, (now) => {
    set(now);
    tray.renew();
    renew();
  });
  tray.wake = () => {
    show.set(true);
    set(true);
  };
  tray.element.hidden = true;
  trays.append(tray.element);
  const open = toggle("▾", `Choose ${name}`, false, (now) => {
    tray.element.hidden = !now;
    tray.renew();
  });
  open.setAttribute("aria-label", `Choose ${name}`);
  open.classList.add("kf-narrow");
  return { buttons: [show, open] };
}

function traceTray(space, renew) {
  const list = el("div", { class: "kf-list" });
  const tray = { element: el("div", { class: "kf-tray", "aria-label": "Paths" }, list), renew: () => {} };
  const several = space.actors.length > 1 && space.scene.kind === "comparison";
  for (const trace of space.traces.all) {
    const label = several ? `${trace.label} · ${trace.actor.run.name}` : trace.label;
    list.append(tick(label, trace.chosen, (on) => {
      trace.chosen = on;
      if (on) tray.wake();
      renew();
    }));
  }
  return tray;
}

function arrowTray(space, clock, renew) {
  const { arrows } = space;
  const list = el("div", { class: "kf-list" });
  const rows = arrows.all.map((arrow) => {
    const value = el("span", { class: "kf-value" });
    const box = tick(arrow.data.name, arrow.shown, (on) => {
      arrow.shown = on;
      if (on && !arrows.on) tray.wake();
      renew();
    }, colors()[arrow.data.kind]);
    box.append(value);
    onTheme(() => (box.querySelector(".kf-swatch").style.background = colors()[arrow.data.kind]));
    list.append(box);
    return { arrow, box, value };
  });
  const length = ladder("arrow length", "Length of arrows", LENGTHS, 1, (x) => {
    arrows.factor = x;
    renew();
  });
  const tray = { element: el("div", { class: "kf-tray", "aria-label": "Loads" }, list, length) };
  tray.renew = () => {
    if (tray.element.hidden) return;
    for (const { arrow, box, value } of rows) {
      box.box.checked = arrow.shown;
      value.textContent = arrow.shown && arrows.on ? `${text(arrow.value, 4)} ${arrow.data.unit}` : "";
    }
  };
  clock.onChange(() => requestAnimationFrame(tray.renew));
  return tray;
}

/** How long arrows are: for each kind that is shown, a bar and the force or torque that it stands for. */
function arrowScale({ arrows, stage }) {
  const element = el("div", { class: "kf-arrows", "aria-label": "Scale of arrows" });
  const { onDrawn } = stage;
  let words = "";
  stage.onDrawn = () => {
    onDrawn?.();
    const perMetre = stage.perMetre();
    const kinds = Object.keys(arrows.scales).filter((kind) => arrows.on && arrows.all.some((a) => a.shown && a.data.kind === kind));
    const rows = kinds.filter((kind) => arrows.scales[kind] > 0).map((kind) => {
      const value = roundNumber(ARROW / (arrows.scales[kind] * arrows.factor * perMetre));
      const { unit } = arrows.all.find((a) => a.data.kind === kind).data;
      return { kind, words: `${text(value, 3)} ${unit}`, width: value * arrows.scales[kind] * arrows.factor * perMetre };
    });
    const now = JSON.stringify([rows, colors().force]);
    if (now === words) return;
    words = now;
    element.hidden = !rows.length;
    element.replaceChildren(...rows.map((row) =>
      el("div", {}, el("i", { style: `width:${row.width.toFixed(1)}px;background:${colors()[row.kind]}` }), `${row.words}${row.kind === "load" ? " applied" : ""}`)));
  };
  return element;
}

/** A slider over given values. */
function ladder(name, title, values, value, set) {
  const shown = el("output", {}, `${text(value)}×`);
  const slider = el("input", {
    type: "range", min: 0, max: values.length - 1, step: 1, value: values.indexOf(value), "aria-label": title, title,
    oninput: () => element.set(values[Number(slider.value)]),
  });
  const element = el("label", { class: "kf-ladder" }, name, slider, shown);
  element.set = (x) => {
    const nearest = values.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(values[best] - x) ? i : best), 0);
    slider.value = nearest;
    slider.setAttribute("aria-valuetext", `${text(x)} times`);
    slider.style.setProperty("--done", `${(100 * nearest) / (values.length - 1)}%`);
    shown.textContent = `${text(x)}×`;
    set(x);
  };
  slider.style.setProperty("--done", `${(100 * values.indexOf(value)) / (values.length - 1)}%`);
  return element;
}

function deformation(space) {
  const badge = el("div", { class: "kf-badge", hidden: true });
  space.stage.host.append(badge);
  const element = ladder("deform", "Enlarge deformations", DEFORMATIONS, 1, (x) => {
    space.deformation = x;
    badge.hidden = x === 1;
    badge.textContent = `deformation ${text(x)}×`;
    space.stage.request();
  });
  space.deform = element.set;
  const most = Math.max(...space.actors.filter((a) => a.group.visible).map((a) => a.largestDisplacement()));
  const factor = DEFORMATIONS.findLast((x) => x * most <= SEEN * space.extent);
  if (space.scene.kind === "run" && most > 0 && most < UNSEEN * space.extent && factor > 1) {
    const offer = button(`Deflections up to ${text(most, 2)} m: show ${text(factor)}×`, "Enlarge deformations so that they are seen", () => {
      element.set(factor);
      offer.remove();
    }, { class: "kf-offer" });
    space.stage.host.append(offer);
  }
  return element;
}

/** What colours bodies: a toggle for displacement alone, a menu where there are quantities of bodies and rods; the scale is in the drawing. */
function colouring(space, scene) {
  const quantities = scene.colours ?? [];
  if (!space.deforms && !quantities.length) return null;
  scaleOf(space, scene, quantities);
  if (!quantities.length) {
    const start = scene.kind === "modes";
    if (start) space.tint(DEFLECTION);
    return toggle("colour", "Colour by deflection (c)", start, (on) => space.tint(on ? DEFLECTION : null));
  }
  const names = ["", ...quantities.map((q) => q.name), ...(space.deforms ? [DEFLECTION] : [])];
  const choose = el("select", { "aria-label": "Colour bodies by", title: "Colour bodies by (c)", onchange: () => space.tint(choose.value || null) });
  choose.append(...names.map((name) => el("option", { value: name }, name || "body")));
  space.colourBy = (name) => {
    choose.value = name ?? "";
    space.tint(choose.value || null);
  };
  if (scene.colour) space.colourBy(scene.colour);
  const element = el("label", { class: "kf-choice" }, "colour", choose);
  element.next = () => space.colourBy(names[(names.indexOf(choose.value) + 1) % names.length]);
  return element;
}

/** The scale of colours, with its ends: the same over the whole run. */
function scaleOf(space, scene, quantities) {
  const [what, low, high] = [el("b", {}), el("span", {}), el("span", {})];
  const bar = el("div", { class: "kf-scale", hidden: true }, what, low, el("i", { style: `background:linear-gradient(to right, ${SCALE.join(",")})` }), high);
  space.stage.host.append(bar);
  space.onTint = () => {
    bar.hidden = !space.colour;
    const known = quantities.find((q) => q.name === space.colour);
    what.textContent = known ? known.name : "";
    low.textContent = known ? text(known.range[0], 3) : "0";
    if (known) high.textContent = `${text(known.range[1], 3)} ${known.unit}`;
    else high.textContent = scene.kind === "modes" ? "largest" : `${text(space.most ?? 0, 3)} m`;
  };
}

function followed(space) {
  const bodies = () => space.first.bodies.filter((b) => !b.still);
  const choose = el("select", { "aria-label": "Follow a body", onchange: () => set(Number(choose.value)) }, el("option", { value: -1 }, "nothing"));
  choose.append(...bodies().map((b, i) => el("option", { value: i }, b.name)));
  const set = (i) => {
    choose.value = i;
    space.follow(i < 0 ? null : bodies()[i]);
  };
  if (space.followed) choose.value = bodies().indexOf(space.followed);
  const element = el("label", { class: "kf-choice" }, "follow", choose);
  element.next = () => set(Number(choose.value) + 1 < bodies().length ? Number(choose.value) + 1 : -1);
  return element;
}

/** Names, colours and tick boxes of compared runs. */
export function legend(space, scene) {
  const boxes = scene.runs.map((run, i) => tick(run.name, true, (on) => space.show(i, on), lineColor(i)));
  onTheme(() => boxes.forEach((box, i) => (box.querySelector(".kf-swatch").style.background = lineColor(i))));
  return { element: el("div", { class: "kf-legend", role: "group", "aria-label": "Runs" }, ...boxes), boxes };
}

/** How x, y and z lie in the picture. */
export function compass(stage) {
  const lines = ["x", "y", "z"].map((name) => ({ line: svg("line", { "stroke-width": 2, "stroke-linecap": "round" }), word: svg("text", {}, name) }));
  const picture = svg("svg", { viewBox: "-40 -40 80 80", class: "kf-compass", "aria-hidden": "true" });
  const renew = () => {
    const axes = stage.axesInView();
    const order = [0, 1, 2].sort((a, b) => axes[a].z - axes[b].z);
    for (const i of order) {
      const { line, word } = lines[i];
      const [x, y] = [axes[i].x, -axes[i].y];
      const set = (node, values) => Object.entries(values).forEach(([k, v]) => node.setAttribute(k, v));
      set(line, { x2: 24 * x, y2: 24 * y, stroke: colors().axes[i] });
      set(word, { x: 33 * x, y: 33 * y, fill: colors().axes[i], opacity: Math.hypot(x, y) < 0.12 ? 0 : 1 });
      picture.append(line, word);
    }
  };
  stage.onDrawn = renew;
  return picture;
}
