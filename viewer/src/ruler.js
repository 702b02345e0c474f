// A bar that tells how long things are, at the depth of the point that the camera looks at.
import { el } from "./dom.js";
import { roundNumber, text } from "./numbers.js";

const LONG = 110; // pixels that the bar takes at most, nearly

/** @param {import("./stage.js").Stage} stage */
export function ruler(stage) {
  const [bar, word] = [el("i", {}), el("span", {})];
  const element = el("div", { class: "kf-ruler", title: "Length in the middle of the drawing" }, bar, word);
  const { onDrawn } = stage;
  stage.onDrawn = () => {
    onDrawn?.();
    const perMetre = stage.perMetre();
    const length = roundNumber(LONG / perMetre / 1.5);
    bar.style.width = `${(length * perMetre).toFixed(1)}px`;
    word.textContent = lengthText(length);
  };
  return element;
}

/** A length in metres, or in what suits it. */
function lengthText(length) {
  if (length >= 1000) return `${text(length / 1000, 3)} km`;
  if (length >= 0.1) return `${text(length, 3)} m`;
  return length >= 1e-3 ? `${text(length * 1000, 3)} mm` : `${text(length * 1e6, 3)} µm`;
}
