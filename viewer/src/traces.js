// Paths that points of bodies have gone.
import { Vector3 } from "three";
import { placeOf } from "./motion.js";
import { Stroke } from "./strokes.js";

const FEW = 3; // traces that are shown from the start
const MOST = 8; // traces that are chosen by default

class Trace {
  constructor(actor, body, frame) {
    Object.assign(this, { actor, body, frame, chosen: false, stroke: null });
    this.label = frame === body.origin ? body.name : `${body.name}.${frame.name}`;
  }

  /** Compute the path for a deformation scale; `origin` gives the drawing's origin in N at a time. */
  make(origin, scale) {
    const { actor, stroke: old } = this;
    const path = actor.path(this.body, this.frame, scale);
    const samples = actor.t.length;
    for (let k = 0; k < samples; k++) {
      const [a, o] = [actor.anchorAt(actor.t[k]), origin(actor.t[k])];
      for (let d = 0; d < 3; d++) path[3 * k + d] += a[d] - o[d];
    }
    this.path = path;
    this.scale = scale;
    this.stroke = old ?? new Stroke(samples, { color: "#888", width: 1.8, opacity: actor.look.ghost ? 0.45 : 0.85 });
    this.before = new Uint32Array(samples); // segments that end at or before each sample; gaps have none
    let count = 0;
    for (let k = 1; k < samples; k++) {
      if (!Number.isNaN(path[3 * k] + path[3 * k - 3])) this.stroke.segment(count++, path, 3 * k - 3, path, 3 * k);
      this.before[k] = count;
    }
    this.paint();
    return this.stroke.object;
  }

  update(t) {
    const { path, stroke, actor } = this;
    const { k, f } = placeOf(actor.t, t);
    let count = this.before[k];
    if (this.dirty !== undefined) stroke.buffer.array.set(this.kept, 6 * this.dirty);
    this.dirty = undefined;
    if (f > 0 && !Number.isNaN(path[3 * k] + path[3 * k + 3])) {
      this.kept = stroke.buffer.array.slice(6 * count, 6 * count + 6);
      this.dirty = count;
      const { visible } = this.body.group;
      const now = visible ? this.tip() : path.slice(3 * k, 3 * k + 3);
      stroke.segment(count, path, 3 * k, now, 0);
      count += 1;
    }
    stroke.count = count;
  }

  /** The point as it is drawn now. */
  tip() {
    const { group } = this.body;
    return new Vector3(...this.frame.place(this.body.q, this.scale)).applyQuaternion(group.quaternion).add(group.position).add(this.actor.group.position).toArray();
  }

  paint() {
    this.stroke?.material.color.set(this.actor.look.color(this.body.index));
  }
}

export class Traces {
  /**
   * @param {import("./actor.js").Actor[]} actors
   * @param {import("three").Object3D} space that the paths are drawn in
   * @param {(t: number) => number[]} origin the drawing's origin in N at a time
   */
  constructor(actors, space, origin) {
    Object.assign(this, { space, origin, on: false, all: [] });
    for (const actor of actors) {
      const parents = new Set(actor.bodies.map((b) => b.parent));
      let chosen = 0;
      for (const body of actor.bodies.filter((b) => !b.still)) {
        for (const frame of [body.origin, ...body.frames]) {
          const trace = new Trace(actor, body, frame);
          const ends = !parents.has(body.index) && (body.frames.length ? frame === body.frames.at(-1) : true);
          if (ends && chosen < MOST) [trace.chosen, chosen] = [true, chosen + 1];
          this.all.push(trace);
        }
      }
    }
  }

  /** Show the paths of tips from the start where they are few. */
  showFew() {
    this.on = this.all.filter((trace) => trace.chosen).length <= FEW;
  }

  update(t, scale) {
    for (const trace of this.all) {
      const visible = this.on && trace.chosen && trace.actor.group.visible;
      if (visible && (!trace.stroke || (trace.scale !== scale && trace.frame.shape))) this.space.add(trace.make(this.origin, scale));
      if (trace.stroke) trace.stroke.object.visible = visible;
      if (visible) trace.update(t);
    }
  }

  /** Paths are longer than they were. */
  renew() {
    if (this.on) for (const trace of this.all) if (trace.stroke && trace.chosen) trace.dirty = undefined, trace.make(this.origin, trace.scale);
  }

  paint() {
    for (const trace of this.all) trace.paint();
  }
}
