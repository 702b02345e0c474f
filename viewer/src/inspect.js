// What a body is: its name under the pointer, and on a click what the model says of it.
import { button, el, icon, toggle } from "./dom.js";

const STILL = 4; // pixels that a pointer may move between press and release of a click

/**
 * @param {import("./space.js").Space} space
 * @param {object} scene
 * @param {import("./plots.js").Plots | null} plots
 */
export function inspect(space, scene, plots) {
  const { host } = space.stage;
  const label = el("div", { class: "kf-label", "aria-hidden": "true" });
  const card = el("div", { class: "kf-card", hidden: true, role: "region", "aria-label": "Body" });
  host.append(label, card);
  const hide = () => label.classList.remove("kf-on");
  const at = (event) => {
    const frame = host.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  };
  let pressed = null;
  host.addEventListener("pointerleave", hide);
  host.addEventListener("pointerdown", (event) => {
    hide();
    pressed = event.target.tagName === "CANVAS" ? at(event) : null;
    space.stage.touched = true; // from now on a new size of the window leaves the camera where it is
  });
  host.addEventListener("pointerup", (event) => {
    const [x, y] = at(event);
    if (!pressed || Math.hypot(x - pressed[0], y - pressed[1]) > STILL) return;
    const found = space.under(x, y);
    card.hidden = !found;
    if (found) card.replaceChildren(...cardOf(found, scene, plots, () => (card.hidden = true)));
  });
  host.addEventListener("pointermove", (event) => {
    if (event.buttons || event.target.tagName !== "CANVAS") return hide();
    const [x, y] = at(event);
    const found = space.under(x, y);
    if (!found) return hide();
    label.textContent = nameOf(found, scene);
    label.style.left = `${Math.min(x + 14, host.clientWidth - label.offsetWidth - 6)}px`;
    label.style.top = `${Math.max(y - 34, 4)}px`;
    label.classList.add("kf-on");
  });
}

const nameOf = ({ body, actor }, scene) => (scene.kind === "comparison" ? `${body.name} · ${actor.run.name}` : body.name);

/** Name, facts, and the channels of the body as buttons that show and hide their plots. */
function cardOf(found, scene, plots, close) {
  const { body } = found;
  const facts = Object.entries(body.facts).flatMap(([what, value]) => [el("dt", {}, what), el("dd", {}, value)]);
  const own = plots ? scene.plots.filter((plot) => plot.name.startsWith(`${body.name}.`)) : [];
  const channels = own.map((plot) =>
    toggle(plot.name.slice(body.name.length + 1), `Plot ${plot.name}`, plots.plots.has(plot), (on) => plots.show(plot, on)));
  return [
    el("div", { class: "kf-head" }, el("b", {}, nameOf(found, scene)), button(icon("close"), "Close", close, { class: "kf-quiet" })),
    facts.length ? el("dl", {}, ...facts) : null,
    channels.length ? el("div", { class: "kf-channels", role: "group", "aria-label": "Channels" }, ...channels) : null,
  ].filter(Boolean);
}
