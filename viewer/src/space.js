// All runs in one drawing: who is shown, which way the camera looks, what follows what.
import { Box3, Color, Raycaster, Vector2, Vector3 } from "three";
import { Actor } from "./actor.js";
import { Arrows } from "./arrows.js";
import { Stage } from "./stage.js";
import { colors, lineColor, onTheme } from "./theme.js";
import { Traces } from "./traces.js";

export const DEFLECTION = "deflection";
const SHADES = [0.03, 0.16, 0.08, 0.26]; // towards white
const LOOKS = 40; // times at which the motion is sampled to frame the camera
const TRAVEL = 0.4; // extent of the motion around a body, over that of all of it, below which the camera follows

/** Colours of a run's bodies: by body, or where runs are compared one hue per run, with steps from body to body. */
function lookOf(scene, index) {
  const ghost = scene.kind === "comparison" && index > 0;
  const shade = (body) => `#${new Color(lineColor(index)).lerp(new Color("#fff"), SHADES[body % SHADES.length]).getHexString()}`;
  if (scene.kind === "comparison") return { ghost, color: (body, own) => (ghost ? lineColor(index) : own ?? shade(body)) };
  return { ghost, color: (body, own) => own ?? colors().bodies[body % colors().bodies.length] };
}

export class Space {
  /**
   * @param {object} scene
   * @param {HTMLElement} host element that the drawing fills
   * @param {import("./clock.js").Clock} clock
   */
  constructor(scene, host, clock) {
    Object.assign(this, { scene, clock, deformation: 1, followed: null, settled: false, caster: new Raycaster() });
    this.stage = new Stage(host, scene.up ?? [0, 0, 1], scene.size || 1, () => this.update());
    this.actors = scene.runs.map((run, i) => new Actor(run, lookOf(scene, i), scene.size || 1));
    this.active = 0;
    for (const actor of this.actors) this.stage.scene.add(actor.group);
    this.arrows = new Arrows(this.actors, scene.size || 1);
    this.traces = new Traces(this.actors, this.stage.scene, (t) => this.actors[this.active].anchorAt(t));
    if (scene.kind === "run" && !scene.live) this.traces.showFew();
    this.deforms = this.actors.some((a) => a.bodies.some((b) => !b.exact && b.shapes.some((s) => s.tint)));
    if (scene.kind === "modes") this.choose(0);
    this.paint();
    onTheme(() => {
      this.paint();
      this.stage.request();
    });
    this.update();
    this.frameAll();
  }

  /** Show one run alone (modes). */
  choose(index) {
    this.active = index;
    this.actors.forEach((actor, i) => (actor.group.visible = i === index));
    if (this.colour) this.tint(this.colour);
    this.stage.request();
  }

  /** Colour skins by their displacement (DEFLECTION), on one scale for all that is shown, or rods by a quantity; null: neither. */
  tint(colour) {
    this.colour = colour;
    const shown = this.actors.filter((a) => a.group.visible);
    const displaced = colour === DEFLECTION;
    this.most = displaced ? Math.max(...shown.map((a) => a.largestDisplacement())) : null;
    for (const actor of this.actors) if (!displaced || actor.group.visible) actor.tint(this.most, displaced ? null : colour);
    this.onTint?.();
    this.stage.request();
  }

  show(index, on) {
    this.actors[index].group.visible = on;
    this.stage.request();
  }

  get first() {
    return this.actors[this.active];
  }

  /** Point of N that the drawing's origin stands for now. */
  origin() {
    return this.first.anchorAt(this.clock.time);
  }

  /** Bring everything to the present time. */
  update() {
    const origin = this.origin();
    for (const actor of this.actors) if (actor.group.visible) actor.update(this.clock.time, origin, this.deformation);
    this.arrows.update(this.clock.time);
    this.traces.update(this.clock.time, this.deformation);
    if (this.followed) this.keepUp();
  }

  keepUp() {
    const { group } = this.followed;
    if (!group.visible) return;
    group.updateWorldMatrix(true, false);
    const now = new Vector3().setFromMatrixPosition(group.matrixWorld);
    if (this.lastSeen) this.stage.shift(now.clone().sub(this.lastSeen));
    this.lastSeen = now;
  }

  /** Follow a body of the first run, or none (null). */
  follow(body) {
    Object.assign(this, { followed: body, lastSeen: null });
    if (body) {
      this.keepUp();
      this.stage.shift(this.lastSeen ? this.lastSeen.clone().sub(this.stage.controls.target) : new Vector3());
    }
    this.stage.request();
  }

  paint() {
    for (const actor of this.actors) actor.paint();
    this.arrows.paint();
    this.traces.paint();
  }

  /** Points around everything as it stands now. */
  cloudNow() {
    const cloud = [];
    this.actors.forEach((actor, i) => {
      if (!actor.group.visible) return;
      actor.corners(cloud);
      this.arrows.ends(cloud, i);
    });
    return cloud.length ? cloud : [new Vector3()];
  }

  /** Points around everything over the whole motion, or where a body is given, as they lie around it. */
  cloudOfMotion(body = this.followed) {
    const { clock } = this;
    const kept = clock.time;
    const cloud = [];
    const here = body?.group.position.clone();
    for (let i = 0; i <= LOOKS; i++) {
      clock.time = clock.start + (clock.duration * i) / LOOKS;
      this.update();
      const away = body ? here.clone().sub(body.group.position) : null;
      for (const point of this.cloudNow()) cloud.push(body ? point.add(away) : point);
    }
    clock.time = kept;
    this.update();
    return cloud;
  }

  /** Frame the whole motion; where the system travels far, stay with its first body that moves. */
  frameAll() {
    const all = this.cloudOfMotion(null);
    this.extent = new Box3().setFromPoints(all).getSize(new Vector3()).length(); // of all the motion, m
    const first = this.first.bodies.find((body) => !body.still) ?? null;
    const around = this.cloudOfMotion(first);
    const length = (cloud) => new Box3().setFromPoints(cloud).getSize(new Vector3()).length();
    const travels = Math.max(length(around), this.stage.size) < TRAVEL * length(all);
    const anchor = this.first.run.anchor;
    const moves = anchor && anchor.some((x, i) => Math.abs(x - anchor[i % 3]) > 0.1 * this.stage.size);
    if (!moves) {
      const { water, bed } = this.scene.levels ?? {};
      this.cell = this.stage.ground(new Box3().setFromPoints(all), bed ?? null);
      if (water !== undefined) all.push(...this.stage.water(new Box3().setFromPoints(all), water));
    }
    this.all = all;
    this.look("iso", travels ? around : all);
    if (!travels) return;
    this.followed = first;
    this.keepUp();
  }

  /** Frame what has moved out of the picture since, unless the reader has turned the camera. */
  widen() {
    const { stage } = this;
    if (stage.touched || !this.all) return;
    const before = new Box3().setFromPoints(this.all);
    const now = this.cloudNow().filter((p) => !before.containsPoint(p));
    if (!now.length) return;
    this.all.push(...now);
    const grown = new Box3().setFromPoints(this.all).getSize(new Vector3()).length();
    if (grown > 1.02 * (this.framed ?? 0)) {
      this.framed = grown;
      this.look("fit", this.followed ? this.cloudNow() : this.all);
    }
  }

  /** Look from a named direction ("fit" keeps the present one) at all the motion, around what is followed. */
  look(name, cloud = this.cloudOfMotion()) {
    const { stage } = this;
    const there = stage.camera.position.clone().sub(stage.controls.target);
    stage.touched = false;
    stage.view(name === "fit" ? there : stage.named(name, new Box3().setFromPoints(cloud)), cloud);
  }

  /** The body of a shape under a point of the drawing, in pixels from its corner, and its run; null where there is none. */
  under(x, y) {
    const { clientWidth: width, clientHeight: height } = this.stage.host;
    this.caster.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.stage.camera);
    const shown = this.actors.filter((a) => a.group.visible).map((a) => a.group);
    const hit = this.caster.intersectObjects(shown, true).find((h) => h.object.userData.body?.group.visible);
    const body = hit?.object.userData.body;
    return body ? { body, actor: this.actors.find((a) => a.bodies.includes(body) || a.links.includes(body)) } : null;
  }

  /** A body's pose as drawn now: position in N, quaternion w x y z. */
  poseOf(run, index) {
    const actor = this.actors[run];
    const { group } = actor.bodies[index];
    group.updateWorldMatrix(true, false);
    const at = new Vector3().setFromMatrixPosition(group.matrixWorld).toArray();
    const origin = this.origin();
    const { w, x, y, z } = group.quaternion;
    return { position: at.map((v, i) => v + origin[i]), quaternion: [w, x, y, z], visible: group.visible && actor.group.visible };
  }

  /** Where a body's origin lies on the page, in CSS pixels of the window. */
  pixelOf(run, index) {
    const { group } = this.actors[run].bodies[index];
    group.updateWorldMatrix(true, false);
    const at = new Vector3().setFromMatrixPosition(group.matrixWorld).project(this.stage.camera);
    const frame = this.stage.host.getBoundingClientRect();
    return [frame.left + ((at.x + 1) / 2) * frame.width, frame.top + ((1 - at.y) / 2) * frame.height];
  }

  /** Origin of a body's frame as drawn now, in N. */
  frameOf(run, index, frame) {
    const { triad } = this.actors[run].bodies[index].frames[frame];
    triad.updateWorldMatrix(true, false);
    const origin = this.origin();
    return new Vector3().setFromMatrixPosition(triad.matrixWorld).toArray().map((v, i) => v + origin[i]);
  }

  /** Colour of a vertex of a shape as drawn now, red, green and blue from 0 to 1; null where it has that of its body. */
  colorOf(run, index, shape, k) {
    const { mesh, surface } = this.actors[run].bodies[index].shapes[shape];
    if (!mesh.material.vertexColors) return null;
    const color = mesh.geometry.getAttribute("color");
    const i = surface.firstCopy[k];
    return [color.getX(i), color.getY(i), color.getZ(i)];
  }

  /** A spring, rope or rod as drawn now: its kind, its ends in N, and how far its shape reaches along and across. */
  linkOf(run, index) {
    const { kind, group, material, thread } = this.actors[run].links[index];
    group.updateWorldMatrix(true, true);
    const inverse = group.matrixWorld.clone().invert();
    const box = new Box3();
    group.traverse((part) => part.isMesh && part !== thread?.object && box.union(new Box3().setFromBufferAttribute(part.geometry.getAttribute("position")).applyMatrix4(part.matrixWorld.clone().premultiply(inverse))));
    const origin = new Vector3(...this.origin());
    const ends = [0, box.max.z].map((z) => new Vector3(0, 0, z).applyMatrix4(group.matrixWorld).add(origin).toArray());
    return { kind, visible: group.visible, ends, length: box.max.z - box.min.z, width: box.max.x - box.min.x, color: `#${material.color.getHexString()}` };
  }

  /** Ends [n][2][3] of the pieces of a path as drawn now, m from the drawing's origin. */
  pathOf(index) {
    const stroke = this.traces.all[index].stroke;
    return Array.from({ length: stroke?.count ?? 0 }, (_, i) => [0, 3].map((at) => [...stroke.buffer.array.slice(6 * i + at, 6 * i + at + 3)]));
  }

  /** Colour that a shape has as a whole as drawn now, "#rrggbb". */
  toneOf(run, index, shape) {
    return `#${this.actors[run].bodies[index].shapes[shape].mesh.material.color.getHexString()}`;
  }

  /** A vertex of a shape as drawn now, in N. */
  vertexOf(run, index, shape, k) {
    const { mesh, surface, points, object } = this.actors[run].bodies[index].shapes[shape];
    const holder = mesh ?? object;
    holder.updateWorldMatrix(true, false);
    const at = new Vector3();
    if (mesh) at.fromBufferAttribute(mesh.geometry.getAttribute("position"), surface ? surface.firstCopy[k] : k);
    else at.fromArray(points, 3 * k);
    const origin = this.origin();
    return at.applyMatrix4(holder.matrixWorld).toArray().map((v, i) => v + origin[i]);
  }
}
