// The table that chooses a mode.
import { el } from "./dom.js";
import { text } from "./numbers.js";

/** A table of modes, one of which is shown; `choose` is called with its number. */
export function modeTable(scene, choose) {
  const heads = [...new Set(scene.runs.flatMap((run) => Object.keys(run.mode?.text ?? {})))];
  const number = (x, digits) => (x === null || x === undefined ? "–" : text(x, digits));
  const rows = scene.runs.map((run, i) => {
    const radio = el("input", { type: "radio", name: "kaneflex-mode", "aria-label": run.name, onchange: () => set(i) });
    const cells = [number(run.mode?.frequency, 5), number(run.mode?.damping, 3), ...heads.map((h) => run.mode?.text?.[h] ?? "–")];
    const row = el("tr", { onclick: () => set(i) }, el("th", { scope: "row" }, el("label", {}, radio, run.name)), ...cells.map((c) => el("td", {}, c)));
    return { row, radio };
  });
  const set = (i) => {
    rows.forEach(({ row, radio }, k) => {
      radio.checked = k === i;
      row.classList.toggle("kf-chosen", k === i);
    });
    choose(i);
  };
  rows[0].radio.checked = true;
  rows[0].row.classList.add("kf-chosen");
  const titles = ["mode", "frequency, Hz", "damping ratio", ...heads];
  const head = el("thead", {}, el("tr", {}, ...titles.map((t) => el("th", { scope: "col" }, t))));
  return el("div", { class: "kf-modes", tabindex: 0, role: "region", "aria-label": "Modes" }, el("table", {}, head, el("tbody", {}, ...rows.map((r) => r.row))));
}
