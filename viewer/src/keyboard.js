// Keys that work anywhere on the page but in fields that take text.
import { button, el, icon } from "./dom.js";

const HELP = [
  ["space", "play or pause"],
  ["← →", "one sample back or on; with Shift ten"],
  ["Home End", "to the start or the end"],
  ["[ ]", "slower, faster"],
  ["1 … 6", "view: iso, front, side, top, back, bottom"],
  ["0", "fit everything into the drawing"],
  ["f", "follow the next body"],
  ["a t l g c", "axes, traces, loads, grid, colours"],
  ["?", "this list"],
];

const LIVE = [["space", "run or pause"], ["→", "one sample on"], ["r", "start anew"]];

/** A dialog that lists the keys, those of a simulation where it is one. */
export function helpDialog(live = false) {
  const rows = [...(live ? LIVE : []), ...HELP.slice(live ? HELP.findIndex(([key]) => key.startsWith("1")) : 0)].map(([key, words]) => el("tr", {}, el("th", { scope: "row" }, ...key.split(" ").flatMap((k) => [el("kbd", {}, k), " "])), el("td", {}, words)));
  const dialog = el("dialog", { class: "kf-help", "aria-label": "Keys" }, el("div", { class: "kf-head" }, el("b", {}, "Keys"), button(icon("close"), "Close", () => dialog.close(), { class: "kf-quiet" })), el("table", {}, el("tbody", {}, ...rows)));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

/** Whether an element takes this key for itself. */
function takes(target, key) {
  if (!(target instanceof Element)) return false;
  if (target.closest("textarea, select, [contenteditable], input:not([type=checkbox]):not([type=radio]):not([type=range])")) return true;
  if (target.matches("input[type=range]:not([aria-label=Time]), input[type=radio]") && /^(Arrow|Home|End)/.test(key)) return true;
  return key === " " && target.matches("button, summary, a, input[type=checkbox], input[type=radio]") && target.matches(":focus-visible");
}

let current = {};

/** Listen; `actions` maps keys to functions, which get whether Shift is pressed. Those of an earlier call are forgotten. */
export function listen(actions) {
  if (!Object.keys(current).length) document.addEventListener("keydown", heard);
  current = actions;
}

function heard(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]") || takes(event.target, event.key)) return;
  const action = current[event.key];
  if (!action) return;
  event.preventDefault();
  action(event.shiftKey);
}
