// Colours for light and dark pages: distinct for colour-blind readers, the same in plots and in space.

const dark = matchMedia("(prefers-color-scheme: dark)");

const LIGHT = {
  ink: "#1f272d", soft: "#5b6770", grid: "#dfe4e8", frame: "#b8c1c8", edge: "#24303a", ground: "#9aa7b1",
  lines: ["#0b6bb0", "#cf5600", "#00866a", "#a8478a", "#8a6d00", "#4a5560", "#b3261e", "#5b4fc4"],
  bodies: ["#4f92cb", "#e3934f", "#52b299", "#c584b4", "#c3a748", "#8595a2"],
  axes: ["#cf3f1d", "#1d8f4e", "#1f6fd0"], water: "#3f8fd2", force: "#c2260f", torque: "#7a3fb5", load: "#0f766e", metal: "#8c969e", rope: "#9b7846",
};
const DARK = {
  ink: "#e4e8eb", soft: "#9aa6af", grid: "#2e373e", frame: "#4d5962", edge: "#0c1013", ground: "#5c6972",
  lines: ["#63b1ef", "#ff9d5c", "#45cfa7", "#e69bc9", "#dcbb4c", "#b3bfc8", "#ff8a80", "#a9a0ff"],
  bodies: ["#5b9fd8", "#e99a58", "#57bda2", "#cf8fbe", "#cfb253", "#93a3b0"],
  axes: ["#ff7a5c", "#4fd08a", "#6aaeff"], water: "#4a9be0", force: "#ff7462", torque: "#c79bff", load: "#4fd1c5", metal: "#9aa5ae", rope: "#b8945f",
};

/** Colours of the present look. */
export const colors = () => (dark.matches ? DARK : LIGHT);

/** Colour of a line or run by its number. */
export const lineColor = (i) => colors().lines[i % LIGHT.lines.length];

const listeners = new Set();
dark.addEventListener("change", () => {
  for (const listener of listeners) listener();
});

/** Call back when the look changes between light and dark. */
export function onTheme(listener) {
  listeners.add(listener);
}

/** Call nobody back any more: the page is built anew. */
export function forgetThemes() {
  listeners.clear();
}
