// A plot as a file: numbers (CSV), strokes (SVG), pixels (PNG).
import { button, el, icon } from "./dom.js";
import { HEIGHT } from "./plot.js";
import { colors } from "./theme.js";

/** A button that opens the choice of files. */
export function exportMenu(plot) {
  const kinds = { CSV: () => [csv(plot), "text/csv"], SVG: () => [drawn(plot), "image/svg+xml"], PNG: () => pixels(plot) };
  const entries = Object.entries(kinds).map(([kind, make]) =>
    button(kind, `Keep the plot of ${plot.data.name} as ${kind}`, async () => {
      save(await make(), `${plot.data.name}.${kind.toLowerCase()}`);
      menu.open = false;
    }));
  const menu = el("details", { class: "kf-menu" }, el("summary", { "aria-label": `Keep the plot of ${plot.data.name}`, title: "Keep as a file" }, icon("keep")), el("div", {}, ...entries));
  return menu;
}

function save(content, name) {
  const blob = content instanceof Blob ? content : new Blob([content[0]], { type: content[1] });
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Columns: time and the shown lines; of several runs one below the other. */
export function csv({ data, lines, comparison }) {
  const quoted = (word) => `"${String(word).replaceAll('"', '""')}"`;
  const shown = lines.filter((line) => line.shown);
  const runs = [...new Set(shown.map((line) => line.run))];
  const head = (of) => ["t in s", ...of.map((line) => `${line.label}${data.unit ? ` in ${data.unit}` : ""}`)].map(quoted).join(",");
  return runs.map((run) => {
    const of = shown.filter((line) => line.run === run);
    const rows = Array.from(of[0].t.filter(Number.isFinite), (t, k) => [t, ...of.map((line) => (Number.isNaN(line.values[k]) ? "" : line.values[k]))].join(","));
    return [...(comparison ? [quoted(`run ${run + 1}`)] : []), head(of), ...rows, ""].join("\n");
  }).join("\n");
}

async function pixels(plot) {
  const { canvas } = plot;
  const whole = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const pen = whole.getContext("2d");
  pen.fillStyle = getComputedStyle(plot.element).getPropertyValue("--kf-card") || "#fff";
  pen.fillRect(0, 0, whole.width, whole.height);
  pen.drawImage(canvas, 0, 0);
  return new Promise((done) => whole.toBlob(done, "image/png"));
}

/** The plot as SVG: the pen's strokes, written down. */
function drawn(plot) {
  const pen = new Scribe(plot.area.clientWidth, HEIGHT);
  plot.drawWith(pen);
  return pen.text(`${plot.data.name}${plot.data.unit ? ` in ${plot.data.unit}` : ""}`);
}

/** What a plot uses of a canvas' pen, as SVG. */
class Scribe {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [], path: [], dash: [], lineWidth: 1, strokeStyle: "#000", fillStyle: "#000", globalAlpha: 1, textAlign: "left", textBaseline: "alphabetic" });
  }

  beginPath() {
    this.path = [];
  }

  moveTo(x, y) {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x, y) {
    this.path.push(`L${short(x)} ${short(y)}`);
  }

  rect(x, y, width, height) {
    this.box = { x, y, width, height };
  }

  clip() {
    this.clipped = this.box;
  }

  save() {}

  restore() {
    Object.assign(this, { clipped: null, dash: [], globalAlpha: 1 });
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  stroke() {
    if (!this.path.length) return;
    const clip = this.clipped ? ' clip-path="url(#inside)"' : "";
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.parts.push(`<path d="${this.path.join("")}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" opacity="${this.globalAlpha}"${dash}${clip}/>`);
    if (this.clipped) this.inside = this.clipped;
  }

  strokeRect(x, y, width, height) {
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="none" stroke="${this.strokeStyle}"/>`);
  }

  fillText(words, x, y) {
    const anchor = { left: "start", right: "end", center: "middle" }[this.textAlign];
    const base = { middle: "central", top: "hanging" }[this.textBaseline] ?? "auto";
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" dominant-baseline="${base}" fill="${this.fillStyle}">${escaped(words)}</text>`);
  }

  text(title) {
    const { inside: box, width, height } = this;
    const clip = box ? `<clipPath id="inside"><rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}"/></clipPath>` : "";
    const ground = getComputedStyle(document.body).backgroundColor;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + 24}" viewBox="0 -24 ${width} ${height + 24}" font-family="sans-serif" font-size="12">` +
      `<title>${escaped(title)}</title>${clip}<rect y="-24" width="100%" height="100%" fill="${ground}"/><text x="66" y="-8" font-weight="bold" fill="${colors().ink}">${escaped(title)}</text>${this.parts.join("")}</svg>`;
  }
}

const short = (x) => Number(x.toFixed(2));
const escaped = (words) => String(words).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
