// A rod's colours: numbers at places along it, linear between these and between samples.
import { flat } from "./data.js";
import { rowAt } from "./motion.js";

const LEVELS = 65535; // codes of the scene go from 0, the least of the whole run, to this, the largest

export class Along {
  /** @param {{arcs: number[], values: Object<string, import("./data.js").Numbers>}} along of a body */
  constructor(along) {
    this.arcs = flat(along.arcs);
    this.values = along.values;
    this.now = new Float64Array(this.arcs.length);
  }

  /** For each vertex of a skin the place before it and the part of the way to the next. */
  placesOf(arcs) {
    const last = this.arcs.length - 1;
    const before = new Uint32Array(arcs.length);
    const part = new Float32Array(arcs.length);
    arcs.forEach((s, v) => {
      let k = 0;
      while (k < last - 1 && this.arcs[k + 1] <= s) k++;
      const width = last > 0 ? this.arcs[k + 1] - this.arcs[k] : 0;
      before[v] = k;
      part[v] = width > 0 ? Math.min(Math.max((s - this.arcs[k]) / width, 0), 1) : 0;
    });
    return { before, part };
  }

  /** The number at the first place, of what has one for all of it, as a fraction of the scale. */
  first(name, place) {
    return rowAt(this.values[name], this.arcs.length, place, this.now)[0] / LEVELS;
  }

  /** Colour a skin by a quantity at a place among the samples; false where the rod has no such quantity. */
  shade(surface, name, place) {
    const values = this.values[name];
    if (!values || !surface.arcs) return false;
    surface.places ??= this.placesOf(surface.arcs);
    rowAt(values, this.now.length, place, this.now);
    const { before, part } = surface.places;
    surface.shade((v) => {
      const k = before[v];
      return (this.now[k] * (1 - part[v]) + (part[v] ? this.now[k + 1] * part[v] : 0)) / LEVELS;
    });
    return true;
  }
}
