// The table that chooses a mode.
import { el } from "./dom.js";
import { text } from "./numbers.js";

const RIGID = "rigid-body motion";

/** A table of modes, one of which is shown; `choose` is called with its number. Motions as a rigid body are one line. */
export function modeTable(scene, choose) {
  const rigid = scene.runs.flatMap((run, i) => (run.mode?.text?.motion === RIGID ? [i] : []));
  const folds = rigid.length > 1;
  const heads = [...new Set(scene.runs.flatMap((run) => Object.keys(run.mode?.text ?? {})))].filter((head) => !folds || head !== "motion" || scene.runs.some((run) => (run.mode?.text?.motion ?? RIGID) !== RIGID));
  const number = (x, digits) => (x === null || x === undefined ? "–" : text(x, digits));
  const rows = scene.runs.map((run, i) => {
    const radio = el("input", { type: "radio", name: "kaneflex-mode", "aria-label": run.name, onchange: () => set(i) });
    const cells = [number(run.mode?.frequency, 5), number(run.mode?.damping, 3), ...heads.map((h) => run.mode?.text?.[h] ?? "–")];
    const row = el("tr", { onclick: () => set(i), hidden: folds && rigid.includes(i) }, el("th", { scope: "row" }, el("label", {}, radio, run.name)), ...cells.map((c) => el("td", {}, c)));
    return { row, radio };
  });
  const set = (i) => {
    rows.forEach(({ row, radio }, k) => {
      radio.checked = k === i;
      row.classList.toggle("kf-chosen", k === i);
    });
    choose(i);
  };
  const titles = ["mode", "frequency, Hz", "damping ratio", ...heads];
  const head = el("thead", {}, el("tr", {}, ...titles.map((t) => el("th", { scope: "col" }, t))));
  const body = el("tbody", {}, ...rows.map((r) => r.row));
  if (folds) {
    const open = el("button", { type: "button", "aria-expanded": "false", onclick: () => {
      const shown = open.getAttribute("aria-expanded") === "true";
      open.setAttribute("aria-expanded", String(!shown));
      for (const i of rigid) rows[i].row.hidden = shown;
    } }, `${rigid.length} motions as a rigid body`);
    body.insertBefore(el("tr", { class: "kf-fold" }, el("th", { scope: "row" }, open), el("td", {}, "0"), el("td", { colspan: titles.length - 2 }, "")), rows[rigid[0]].row);
  }
  const first = scene.runs.findIndex((_, i) => !rigid.includes(i));
  const element = el("div", { class: "kf-modes", tabindex: 0, role: "region", "aria-label": "Modes" }, el("table", {}, head, body));
  set(Math.max(first, 0));
  return element;
}
