// Springs, dampers, struts (both), ropes and rods: shapes along z from one end to the other, as long as these are apart.
import { BufferAttribute, BufferGeometry, CylinderGeometry, Group, Mesh, MeshPhongMaterial, Quaternion, Vector3 } from "three";
import { rowAt } from "./motion.js";
import { Stroke } from "./strokes.js";
import { colors } from "./theme.js";

const WIDE = 0.016; // radius of a spring over the size of the drawing
const SLIM = 0.11; // and at most over its least length
const TURNS = 9;
const STEPS = 14; // of a turn
const SIDES = 6; // of the wire
const WIRE = 0.2; // its radius over the spring's
const THREAD = 1.6; // least width of a rope, pixels
const LEAD = 0.05; // part of the length at each end over which the coil comes out of the axis
const AXIS = new Vector3(0, 0, 1);
const ROUND = new CylinderGeometry(1, 1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5);

/** A coil whose length changes. */
class Coil {
  constructor(material, radius) {
    this.radius = radius;
    this.rings = TURNS * STEPS + 1;
    const geometry = new BufferGeometry();
    for (const name of ["position", "normal"]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * SIDES * this.rings), 3));
    const corners = [];
    for (let i = 0; i < this.rings - 1; i++) {
      for (let j = 0; j < SIDES; j++) {
        const [a, b] = [SIDES * i + j, SIDES * i + ((j + 1) % SIDES)];
        corners.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
      }
    }
    geometry.setIndex(corners);
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  stretch(length) {
    const { position, normal } = this.mesh.geometry.attributes;
    const rise = length / (2 * Math.PI * TURNS * this.radius);
    const [along, up] = [1 / Math.hypot(1, rise), rise / Math.hypot(1, rise)];
    for (let i = 0, at = 0; i < this.rings; i++) {
      const part = i / (this.rings - 1);
      const radius = this.radius * Math.min(1, part / LEAD, (1 - part) / LEAD);
      const [c, s] = [Math.cos((2 * Math.PI * i) / STEPS), Math.sin((2 * Math.PI * i) / STEPS)];
      for (let j = 0; j < SIDES; j++, at += 3) {
        const [p, q] = [Math.cos((2 * Math.PI * j) / SIDES), Math.sin((2 * Math.PI * j) / SIDES)];
        const n = [c * p + s * up * q, s * p - c * up * q, along * q]; // from the wire's middle, normal to the wire
        normal.array.set(n, at);
        const w = WIRE * this.radius;
        position.array.set([radius * c + w * n[0], radius * s + w * n[1], length * part + w * n[2]], at);
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
    this.mesh.geometry.boundingSphere = this.mesh.geometry.boundingBox = null; // hovering asks for them anew
  }
}

/** Least distance of two points over samples [K][2][3]. */
function least(points) {
  let found = Infinity;
  for (let i = 0; i < points.length; i += 6) {
    const length = Math.hypot(points[i + 3] - points[i], points[i + 4] - points[i + 1], points[i + 5] - points[i + 2]);
    if (length < found) found = length;
  }
  return Number.isFinite(found) ? found : 0;
}

export class Link {
  /**
   * @param {{name: string, kind?: string, points: import("./data.js").Numbers}} line of the scene
   * @param {number} index among the lines
   * @param {import("./shapes.js").Look} look
   * @param {number} size characteristic length, m
   */
  constructor(line, index, look, size) {
    Object.assign(this, { name: line.name, kind: line.kind ?? "rope", points: line.points, index, look, now: new Float64Array(6) });
    this.facts = { kind: this.kind };
    this.group = new Group();
    this.material = new MeshPhongMaterial({ specular: 0x1c1c1c, shininess: 28, opacity: look.ghost ? 0.45 : 1, transparent: look.ghost });
    const short = least(line.points);
    this.radius = Math.min(WIDE * size, Math.max(SLIM * short, 0.25 * WIDE * size));
    this.pot = 0.5 * short;
    this.coil = ["spring", "strut"].includes(this.kind) ? new Coil(this.material, this.radius) : null;
    const widths = { damper: [0.75, 0.3], strut: [0.55, 0.25], rope: [0.28], rod: [0.5] }[this.kind] ?? [];
    this.rods = widths.map((width) => Object.assign(new Mesh(ROUND, this.material), { width: width * this.radius }));
    for (const mesh of [...this.rods, ...(this.coil ? [this.coil.mesh] : [])]) {
      mesh.userData.body = this;
      mesh.castShadow = !look.ghost;
      this.group.add(mesh);
    }
    this.thread = this.kind === "rope" ? new Stroke(1, { color: "#888", width: THREAD, opacity: this.material.opacity }) : null;
    if (this.thread) {
      this.thread.count = 1;
      this.group.add(this.thread.object);
    }
    this.paint();
  }

  update(place) {
    rowAt(this.points, 6, place, this.now);
    this.group.visible = !this.now.some(Number.isNaN);
    if (!this.group.visible) return;
    const [a, b] = [new Vector3().fromArray(this.now, 0), new Vector3().fromArray(this.now, 3)];
    const along = b.sub(a);
    const length = along.length();
    this.group.visible = length > 0;
    if (!length) return;
    this.group.position.copy(a);
    this.group.quaternion.copy(new Quaternion().setFromUnitVectors(AXIS, along.divideScalar(length)));
    this.coil?.stretch(length);
    this.thread?.segment(0, [0, 0, 0], 0, [0, 0, length], 0);
    const [first, second] = this.rods;
    const pot = second ? Math.min(this.pot, length) : length;
    first?.scale.set(first.width, first.width, pot);
    if (!second) return;
    second.position.z = 0.8 * pot;
    second.scale.set(second.width, second.width, Math.max(length - 0.8 * pot, 1e-9 * length));
  }

  paint() {
    this.material.color.set(this.look.ghost ? this.look.color(this.index) : this.kind === "rope" ? colors().rope : colors().metal);
    this.thread?.material.color.copy(this.material.color);
  }
}
