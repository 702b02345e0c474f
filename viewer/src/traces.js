// Paths that points of bodies have gone.
import { Vector3 } from "three";
import { placeOf } from "./motion.js";
import { Stroke } from "./strokes.js";

const FEW = 3; // traces that are shown from the start
const MOST = 8; // traces that are chosen by default
const ARC = 0.08; // turn of a body between two points of a path, rad
const FINEST = 16; // points between two samples

/** Times of samples, and between them where the body turns much: the way of its points there is an arc. */
function finer(times, poses) {
  const found = [];
  for (let k = 0; k < times.length; k++) {
    found.push(times[k]);
    if (k + 1 === times.length) break;
    let cosine = 0;
    for (let i = 3; i < 7; i++) cosine += poses[7 * k + i] * poses[7 * k + 7 + i];
    const parts = Math.min(FINEST, Math.ceil((2 * Math.acos(Math.min(Math.abs(cosine), 1))) / ARC)) || 1;
    for (let i = 1; i < parts; i++) found.push(times[k] + ((times[k + 1] - times[k]) * i) / parts);
  }
  return Float64Array.from(found);
}

class Trace {
  constructor(actor, body, frame) {
    Object.assign(this, { actor, body, frame, chosen: false, stroke: null });
    this.label = frame === body.origin ? body.name : `${body.name}.${frame.name}`;
  }

  /** Compute the path for a deformation scale; `origin` gives the drawing's origin in N at a time. */
  make(origin, scale) {
    const { actor, stroke: old } = this;
    const times = finer(actor.t, this.body.pose);
    const path = actor.path(this.body, this.frame, scale, times);
    const samples = times.length;
    for (let k = 0; k < samples; k++) {
      const [a, o] = [actor.anchorAt(times[k]), origin(times[k])];
      for (let d = 0; d < 3; d++) path[3 * k + d] += a[d] - o[d];
    }
    Object.assign(this, { path, times });
    this.scale = scale;
    const grown = old && old.most < samples;
    if (grown) old.object.removeFromParent();
    this.stroke = old && !grown ? old : new Stroke(grown ? 2 * samples : samples, { color: "#888", width: 1.8, opacity: actor.look.ghost ? 0.45 : 0.85 });
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
    const { path, stroke } = this;
    const { k, f } = placeOf(this.times, t);
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
    if (this.on) for (const trace of this.all) if (trace.stroke && trace.chosen) trace.dirty = undefined, this.space.add(trace.make(this.origin, trace.scale));
  }

  paint() {
    for (const trace of this.all) trace.paint();
  }
}
