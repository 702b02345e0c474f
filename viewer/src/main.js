// Bring a page to life: read its scene, build drawing, controls and plots, and offer them to scripts.
import { Clock } from "./clock.js";
import { VIEWS, compass, drawing, legend, playback } from "./controls.js";
import { readScene } from "./data.js";
import { alert, button, el, icon } from "./dom.js";
import { inspect } from "./inspect.js";
import { helpDialog, listen } from "./keyboard.js";
import { Growth, follow, liveBar, liveKeys, panel, timeNow } from "./live.js";
import { modeTable } from "./modes.js";
import { placeOf, valueAt } from "./motion.js";
import { Plots } from "./plots.js";
import { orbitPicture } from "./orbit.js";
import { ruler } from "./ruler.js";
import { Space } from "./space.js";
import { forgetThemes } from "./theme.js";

const LOOK = 100; // ms between looks at whether all that moves is in the picture

/** First and last time over runs, and whether they go round. */
function clockFor(scene) {
  if (scene.kind === "modes") return new Clock(scene.runs[0].t[0], scene.runs[0].t.at(-1), true);
  const start = Math.min(...scene.runs.map((run) => run.t[0]));
  const end = Math.max(...scene.runs.map((run) => run.t.at(-1)));
  return new Clock(start, end, scene.runs.every((run) => run.loop));
}

/** Steps from sample to sample of the run that is shown. */
function stepper(clock, times) {
  return {
    step(by) {
      clock.pause();
      const t = times();
      const { k, f } = placeOf(t, clock.time);
      const next = by < 0 && f > 0 ? k + by + 1 : k + by;
      clock.seek(t[Math.min(Math.max(next, 0), t.length - 1)]);
    },
  };
}

function build(scene, host, plotHost) {
  const growth = scene.live ? new Growth(scene) : null;
  const clock = growth ? new Clock(growth.first, growth.last, false) : clockFor(scene);
  host.classList.add("kf");
  plotHost?.classList.add("kf");
  const stageHost = el("div", { class: "kf-stage" });
  const shell = el("div", { class: "kf-shell" }, stageHost);
  host.replaceChildren(shell);
  plotHost?.replaceChildren();
  const space = new Space(scene, stageHost, clock);
  const samples = stepper(clock, () => space.first.t);
  const runs = scene.kind === "comparison" ? legend(space, scene) : null;
  if (runs) stageHost.append(runs.element);
  stageHost.append(compass(space.stage), ruler(space.stage), ...[orbitPicture(space, clock)].filter(Boolean));
  const controls = drawing(space, scene, clock);
  const help = helpDialog(growth);
  stageHost.append(el("div", { class: "kf-corner" },
    button(icon("enlarge"), "Whole screen", () => (document.fullscreenElement ? document.exitFullscreen() : shell.requestFullscreen())),
    button("?", "Keys (?)", () => help.showModal())));
  const steering = growth ? panel(scene.live) : null;
  shell.append(growth ? liveBar(scene.live, clock, growth) : playback(clock, scene, samples), controls.bar, controls.trays, help);
  if (steering) shell.append(steering.element);
  const choose = (i) => {
    space.choose(i);
    const playing = clock.playing;
    clock.range(scene.runs[i].t[0], scene.runs[i].t.at(-1), true);
    if (playing) clock.play();
  };
  if (scene.kind === "modes") shell.append(modeTable(scene, choose));
  const plots = plotHost && scene.plots?.length ? new Plots(scene, plotHost, clock) : null;
  if (plotHost) plotHost.hidden = !plots;
  inspect(space, scene, plots);
  listen({
    ...(growth ? liveKeys(scene.live) : playKeys(clock, samples)),
    0: () => space.look("fit"),
    "?": () => help.showModal(),
    ...Object.fromEntries(VIEWS.map((name, i) => [i + 1, () => space.look(name)])),
    ...controls.keys,
  });
  animate(clock, space);
  if (typeof scene.at === "number") clock.seek(scene.at);
  else if (!growth && (scene.kind === "modes" || !matchMedia("(prefers-reduced-motion: reduce)").matches)) clock.play();
  return { scene, clock, space, plots, runs, growth, steering };
}

const playKeys = (clock, samples) => ({
  " ": () => clock.toggle(),
  ArrowLeft: (shift) => samples.step(shift ? -10 : -1),
  ArrowRight: (shift) => samples.step(shift ? 10 : 1),
  Home: () => clock.seek(clock.start),
  End: () => clock.seek(clock.end),
  "[": () => clock.changeSpeed(-1),
  "]": () => clock.changeSpeed(1),
});

/** Go on with what the server sends; `rebuild` makes the page anew and gives what was built. */
function simulate(built, rebuild) {
  const { live } = built.scene;
  built.steering.say(live.error);
  built.plots?.keepUp(live.window);
  let grown = false; // since the last frame
  let steered = "";
  let looked = 0;
  follow(live, {
    state() {
      built.steering.say(live.error);
      const now = `${live.running} ${live.speed}`;
      if (now !== steered) built.clock.changed(); // the buttons say how it stands
      steered = now;
    },
    more(arrays) {
      const { growth, clock } = built;
      growth.add(arrays);
      Object.assign(clock, { start: growth.first, end: growth.last });
      grown = true;
    },
    scene(scene) {
      const { stage } = built.space;
      const eye = stage.touched ? [stage.camera.position.clone(), stage.controls.target.clone()] : null;
      stage.dispose();
      forgetThemes();
      Object.assign(live, scene.live, { looking: null });
      built = rebuild({ ...scene, live });
      if (eye) {
        const now = built.space.stage;
        now.camera.position.copy(eye[0]);
        now.controls.target.copy(eye[1]);
        now.touched = true;
      }
      built.steering.say(live.error);
      built.plots?.keepUp(live.window);
    },
  });
  const frame = () => {
    requestAnimationFrame(frame);
    if (grown) {
      grown = false;
      built.space.arrows.measure();
      built.space.traces.renew();
      built.plots?.keepUp(live.window);
    }
    const t = timeNow(live, built.clock.time, built.growth.last);
    if (Math.abs(t - built.clock.time) <= 1e-9 * live.window) return;
    built.clock.seek(t);
    if (performance.now() - looked < LOOK) return;
    looked = performance.now();
    built.space.update();
    built.space.widen();
  };
  requestAnimationFrame(frame);
}

/** Draw when the time changes; ask for frames only while playing. */
function animate(clock, space) {
  let running = false;
  const frame = (now) => {
    running = clock.playing;
    if (!running) return;
    requestAnimationFrame(frame);
    clock.advance(now);
  };
  clock.onChange(() => {
    space.stage.request();
    if (clock.playing && !running) {
      running = true;
      requestAnimationFrame(frame);
    }
  });
}

/** What tests and scripts may use. */
function hooks(scene, { clock, space, plots, runs }) {
  const line = (plot, i) => scene.plots[plot].lines[i];
  return {
    scene,
    time: () => clock.time,
    seek(t) {
      clock.seek(t);
      space.update();
    },
    play: () => clock.play(),
    pause: () => clock.pause(),
    playing: () => clock.playing,
    speed(x) {
      if (x !== undefined) clock.setSpeed(x);
      return clock.speed;
    },
    pose: (run, body) => space.poseOf(run, body),
    pixel: (run, body) => space.pixelOf(run, body),
    frame: (run, body, frame) => space.frameOf(run, body, frame),
    vertex: (run, body, shape, k) => space.vertexOf(run, body, shape, k),
    tone: (run, body, shape) => space.toneOf(run, body, shape),
    color: (run, body, shape, k) => space.colorOf(run, body, shape, k),
    colour(name) {
      if (name !== undefined) space.colourBy?.(name), space.update();
      return space.colour ?? null;
    },
    cursor: () => plots?.plots.values().next().value?.cursorTime() ?? null,
    plotted: (plot, i) => valueAt(line(plot, i).values, placeOf(scene.runs[line(plot, i).run].t, clock.time)),
    deformation(x) {
      if (x !== undefined) space.deform?.(x), space.update();
      return space.deformation;
    },
    show(run, on) {
      space.show(run, on);
      if (runs) runs.boxes[run].box.checked = on;
      space.update();
    },
    link: (run, i) => space.linkOf(run, i),
    path: (i) => space.pathOf(i),
    levels: () => space.stage.levels ?? {},
    drawn: () => space.stage.drawn,
    view: (name) => space.look(name),
  };
}

async function start() {
  const host = document.getElementById("kaneflex-viewer");
  if (!host) throw new Error("the page has no element #kaneflex-viewer");
  const make = (scene) => {
    const built = build(scene, host, document.getElementById("kaneflex-plots"));
    Object.assign(window.kaneflex, hooks(scene, built));
    return built;
  };
  try {
    const built = make(await readScene(document));
    if (built.scene.live) simulate(built, make);
    if (built.scene.served) new EventSource("events").addEventListener("message", (event) => {
      built.clock.pause();
      built.clock.seek(JSON.parse(event.data).t);
    });
  } catch (error) {
    host.replaceChildren(alert(`This page's motion cannot be shown: ${error.message}.`));
    host.classList.add("kf");
    throw error;
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

window.kaneflex = { ready: start() };
window.kaneflex.ready.catch(() => {}); // the page says what is wrong, and whoever awaits `ready` gets it
