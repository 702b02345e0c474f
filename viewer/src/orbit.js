// A small picture of the orbit, to scale: the centre, the way around it, and where the system is now.
import { Vector3 } from "three";
import { el, svg } from "./dom.js";
import { placeOf, rowAt } from "./motion.js";

const SIDE = 116; // pixels
const EDGE = 8;

/** Two directions across the orbit's normal, the first towards where it begins; null where there is no plane. */
function planeOf(path, ellipse) {
  const at = (points, k) => new Vector3().fromArray(points, 3 * k);
  const first = at(path, 0).normalize();
  const other = ellipse ? at(ellipse, Math.floor(ellipse.length / 12)) : at(path, path.length / 3 - 1);
  const normal = first.clone().cross(other);
  if (normal.length() < 1e-9 * other.length()) return null;
  return [first, normal.normalize().clone().cross(first)];
}

/**
 * @param {import("./space.js").Space} space
 * @param {import("./clock.js").Clock} clock
 */
export function orbitPicture(space, clock) {
  const { orbit, t } = space.first.run;
  if (!orbit) return null;
  const { path, ellipse, radius, name } = orbit;
  const plane = planeOf(path, ellipse);
  if (!plane) return null;
  const flat = (points) => Array.from({ length: points.length / 3 }, (_, k) => {
    const p = new Vector3().fromArray(points, 3 * k);
    return [p.dot(plane[0]), -p.dot(plane[1])];
  });
  const [way, whole] = [flat(path), ellipse ? flat(ellipse) : []];
  const reach = (axis) => {
    const values = [...way, ...whole].map((p) => p[axis]);
    return [Math.min(...values, -(radius ?? 0)), Math.max(...values, radius ?? 0)];
  };
  const [[left, right], [top, bottom]] = [reach(0), reach(1)];
  const scale = (SIDE - 2 * EDGE) / Math.max(right - left, bottom - top, 1e-300);
  const place = ([x, y]) => [SIDE / 2 + (x - (left + right) / 2) * scale, SIDE / 2 + (y - (top + bottom) / 2) * scale];
  const line = (points) => points.map((p) => place(p).map((v) => v.toFixed(1)).join(",")).join(" ");
  const [cx, cy] = place([0, 0]);
  const dot = svg("circle", { r: 3.5, class: "kf-here" });
  const picture = svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "img", "aria-label": `Orbit around the ${name}, to scale` },
    svg("circle", { cx, cy, r: radius ? Math.max(radius * scale, 2) : 3, class: "kf-planet" }),
    svg("polyline", { points: line(whole), class: "kf-whole" }),
    svg("polyline", { points: line(way), class: "kf-way" }),
    dot);
  const now = [0, 0, 0];
  const renew = () => {
    rowAt(path, 3, placeOf(t, clock.time), now);
    const p = new Vector3().fromArray(now);
    const [x, y] = place([p.dot(plane[0]), -p.dot(plane[1])]);
    dot.setAttribute("cx", x.toFixed(1));
    dot.setAttribute("cy", y.toFixed(1));
  };
  clock.onChange(renew);
  renew();
  return el("div", { class: "kf-orbit" }, picture, el("span", {}, `${name}${radius ? "" : ", not to scale"}`));
}
