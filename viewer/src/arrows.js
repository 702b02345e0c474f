// Forces, torques and loads as arrows whose length tells their size.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshLambertMaterial, Quaternion, Vector3 } from "three";
import { placeOf, rowAt } from "./motion.js";
import { colors } from "./theme.js";

const LONGEST = 0.4; // length of the largest arrow over the size of the drawing
const AXIS = new Vector3(0, 0, 1);
const SHAFT = new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const HEAD = new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5); // its tip at the origin

/** Largest length among vectors [K][3]. */
function largest(vectors) {
  let most = 0;
  for (let i = 0; i < vectors.length; i += 3) {
    const length = Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2]);
    if (length > most) most = length;
  }
  return most;
}

class Arrow {
  constructor(data, thick, ghost) {
    Object.assign(this, { data, thick, shown: data.shown, value: 0 });
    this.material = new MeshLambertMaterial({ transparent: true, opacity: ghost ? 0.45 : 1, depthTest: false });
    this.group = new Group();
    this.shaft = new Mesh(SHAFT, this.material);
    this.heads = Array.from({ length: data.kind === "torque" ? 2 : 1 }, () => new Mesh(HEAD, this.material));
    this.group.add(this.shaft, ...this.heads);
    for (const part of this.group.children) Object.assign(part, { raycast: () => {}, renderOrder: 2 }); // above bodies: most forces act inside them
    this.paint();
  }

  paint() {
    this.material.color.set(colors()[this.data.kind]);
  }

  update(place, scale) {
    const [x, y, z] = rowAt(this.data.vector, 3, place, [0, 0, 0]);
    const at = rowAt(this.data.at, 3, place, [0, 0, 0]);
    this.value = Math.hypot(x, y, z);
    const length = (this.length = this.value * scale);
    const thick = Math.min(this.thick, length / 8);
    this.group.visible = this.shown && length > 0.02 * this.thick && !at.some(Number.isNaN);
    if (!this.group.visible) return;
    this.group.position.fromArray(at);
    this.group.quaternion.copy(new Quaternion().setFromUnitVectors(AXIS, new Vector3(x, y, z).divideScalar(this.value)));
    const head = Math.min(7 * thick, length);
    this.heads.forEach((mesh, i) => {
      mesh.position.z = length - 0.7 * head * i;
      mesh.scale.set(2.4 * thick, 2.4 * thick, head);
    });
    this.shaft.scale.set(0.7 * thick, 0.7 * thick, length - head * 0.8);
  }
}

export class Arrows {
  /**
   * @param {import("./actor.js").Actor[]} actors
   * @param {number} size characteristic length, m
   */
  constructor(actors, size) {
    this.sets = actors.map((actor) => {
      const group = new Group();
      const arrows = (actor.run.arrows ?? []).map((data) => new Arrow(data, 0.006 * size, actor.look.ghost));
      if (arrows.length) group.add(...arrows.map((a) => a.group));
      actor.group.add(group);
      return { group, arrows, t: actor.t };
    });
    this.all = this.sets.flatMap((s) => s.arrows);
    this.factor = 1;
    this.size = size;
    this.measure();
    this.show(this.all.some((a) => a.shown));
  }

  /** Lengths of arrows by the largest of their kind. */
  measure() {
    this.scales = {};
    for (const { data } of this.all) this.scales[data.kind] = Math.max(this.scales[data.kind] ?? 0, largest(data.vector));
    for (const [kind, most] of Object.entries(this.scales)) this.scales[kind] = most ? (LONGEST * this.size) / most : 0;
  }

  show(on) {
    this.on = on;
    if (on && !this.all.some((a) => a.shown)) for (const arrow of this.all) arrow.shown = true;
    for (const { group } of this.sets) group.visible = on;
  }

  update(t) {
    if (!this.on) return;
    for (const { arrows, t: times } of this.sets) {
      const place = placeOf(times, t);
      for (const arrow of arrows) arrow.update(place, this.scales[arrow.data.kind] * this.factor);
    }
  }

  /** Add the ends of a run's arrows, as they stand now, to a list of points. */
  ends(out, run) {
    const { group, arrows } = this.sets[run];
    if (!this.on) return;
    group.updateWorldMatrix(true, false);
    for (const { group: arrow, length } of arrows) {
      if (!arrow.visible) continue;
      for (const z of [0, length]) out.push(new Vector3(0, 0, z).applyQuaternion(arrow.quaternion).add(arrow.position).applyMatrix4(group.matrixWorld));
    }
  }

  paint() {
    for (const arrow of this.all) arrow.paint();
  }
}
