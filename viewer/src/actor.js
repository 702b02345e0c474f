// A run in space: its bodies, frames and lines at any time.
import { Box3, Group, Quaternion, Vector3 } from "three";
import { Along } from "./along.js";
import { flat } from "./data.js";
import { Link } from "./links.js";
import { placeOf, poseAt, rowAt } from "./motion.js";
import { makeShape, turnOf } from "./shapes.js";
import { Triad } from "./strokes.js";
import { colors } from "./theme.js";

/** Displacement of a frame for modal coordinates q, added to `out`. */
function addDisplacement(shape, q, scale, out) {
  for (let j = 0; j < q.length; j++) {
    for (let d = 0; d < 3; d++) out[d] += shape[3 * j + d] * q[j] * scale;
  }
}

class Frame {
  constructor(frame, size) {
    this.name = frame.name;
    this.position = flat(frame.position);
    this.shape = frame.shape ? flat(frame.shape) : null;
    this.axes = new Triad(size);
    this.triad = this.axes.object;
    this.triad.position.fromArray(this.position);
    if (frame.axes) this.triad.quaternion.copy(turnOf(flat(frame.axes)));
  }

  /** Place in the body for modal coordinates q. */
  place(q, scale) {
    const out = [...this.position];
    if (this.shape && q) addDisplacement(this.shape, q, scale, out);
    return out;
  }
}

class Body {
  constructor(body, index, look, size) {
    Object.assign(this, { name: body.name, parent: body.parent, pose: body.pose, modes: body.modes, facts: body.facts ?? {}, index });
    this.still = !body.pose.some((x, i) => x !== body.pose[i % 7] && !Number.isNaN(x)); // such as the ground
    this.group = new Group();
    this.shapes = body.shapes.map((shape) => {
      const made = makeShape(shape, index, look);
      if (made.mesh) made.mesh.userData.body = this;
      this.group.add(made.object);
      return made;
    });
    this.exact = body.exact ?? false; // drawn as it is: there is no deflection of it to enlarge
    this.along = body.along ? new Along(body.along) : null;
    this.q = this.modes ? new Float64Array(this.modes.length / this.modes.shape[0]) : null;
    this.origin = new Frame({ name: body.name, position: [0, 0, 0] }, size * 0.1);
    this.frames = (body.frames ?? []).map((f) => new Frame(f, size * 0.06));
    this.triads = new Group();
    this.triads.add(this.origin.triad, ...this.frames.map((f) => f.triad));
    this.group.add(this.triads);
  }

  update(place, scale) {
    this.group.visible = poseAt(this.pose, place, this.group.position, this.group.quaternion);
    if (!this.group.visible) return;
    if (this.by) for (const shape of this.shapes) if (!shape.surface?.arcs) shape.tone(this.along.first(this.by, place));
    if (!this.modes) return;
    rowAt(this.modes, this.q.length, place, this.q);
    const enlarged = this.exact ? 1 : scale;
    for (const { surface } of this.shapes) {
      if (!surface?.modes) continue;
      surface.deform(this.q, enlarged);
      if (this.by && surface.arcs) this.along.shade(surface, this.by, place);
      else if (this.most !== undefined) surface.color(this.most * enlarged);
    }
    for (const frame of this.frames) if (frame.shape) frame.triad.position.fromArray(frame.place(this.q, enlarged));
  }
}

export class Actor {
  /**
   * @param {object} run of the scene
   * @param {import("./shapes.js").Look} look
   * @param {number} size characteristic length, m
   */
  constructor(run, look, size) {
    Object.assign(this, { run, look, size, t: run.t });
    this.group = new Group();
    this.bodies = run.bodies.map((body, i) => new Body(body, i, look, size));
    for (const body of this.bodies) this.group.add(body.group);
    this.links = (run.lines ?? []).map((line, i) => new Link(line, i, look, size));
    for (const link of this.links) this.group.add(link.group);
    this.axes(false);
  }

  /** Where the drawing's origin lies at a time, in N, m. */
  anchorAt(t, out = [0, 0, 0]) {
    return this.run.anchor ? rowAt(this.run.anchor, 3, placeOf(this.t, t), out) : out.fill(0);
  }

  /** Move everything to a time; `origin` is the point of N that the drawing's origin stands for. */
  update(t, origin, scale) {
    const place = placeOf(this.t, t);
    const anchor = this.anchorAt(t);
    this.group.position.set(anchor[0] - origin[0], anchor[1] - origin[1], anchor[2] - origin[2]);
    for (const body of this.bodies) body.update(place, scale);
    for (const link of this.links) link.update(place);
  }

  axes(on) {
    for (const body of this.bodies) body.triads.visible = on;
  }

  /** Largest displacement of any skin over samples of the run, m. */
  largestDisplacement() {
    let most = 0;
    for (const body of this.bodies) {
      const skins = body.shapes.map((s) => s.surface).filter((s) => s?.modes);
      if (!skins.length || !body.q || body.exact) continue;
      const q = new Float64Array(body.q.length);
      const stride = Math.max(1, Math.floor(this.t.length / 60));
      for (let k = 0; k < this.t.length; k += stride) {
        rowAt(body.modes, q.length, { k, f: 0 }, q);
        for (const surface of skins) {
          surface.deform(q, 1);
          for (let v = 0; v < surface.vertices.length / 3; v++) most = Math.max(most, surface.displacement(v));
        }
      }
    }
    return most;
  }

  /** Colour skins by displacement up to `most`, m, or rods by a quantity along them; null for the colours of their bodies. */
  tint(most, quantity = null) {
    for (const body of this.bodies) {
      body.most = body.exact ? undefined : (most ?? undefined);
      body.by = quantity && body.along?.values[quantity] ? quantity : null;
      for (const shape of body.shapes) {
        if (!body.by) shape.tone(null);
        shape.tint?.(body.most !== undefined || (body.by !== null && Boolean(shape.surface?.arcs)));
      }
    }
  }

  paint() {
    for (const body of this.bodies) {
      for (const shape of body.shapes) shape.paint();
      for (const frame of [body.origin, ...body.frames]) frame.axes.paint(colors().axes);
    }
    for (const link of this.links) link.paint();
  }

  /** Path of a body's origin or of one of its frames at times, relative to the anchor: [K][3], NaN where it is not there. */
  path(body, frame, scale, times) {
    const samples = times.length;
    const path = new Float32Array(3 * samples);
    const [point, turn, q] = [new Vector3(), new Quaternion(), body.q ? new Float64Array(body.q.length) : null];
    for (let k = 0; k < samples; k++) {
      const place = placeOf(this.t, times[k]);
      if (!poseAt(body.pose, place, point, turn)) {
        path.fill(NaN, 3 * k, 3 * k + 3);
        continue;
      }
      if (q) rowAt(body.modes, q.length, place, q);
      const [x, y, z] = frame.place(q, body.exact ? 1 : scale);
      new Vector3(x, y, z).applyQuaternion(turn).add(point).toArray(path, 3 * k);
    }
    return path;
  }

  /** Corners of boxes around the shapes as they stand now, in the drawing's frame. */
  corners(out) {
    this.group.updateMatrixWorld(true);
    for (const body of this.bodies) {
      if (!body.group.visible) continue;
      out.push(new Vector3().setFromMatrixPosition(body.group.matrixWorld));
      for (const { mesh, points, object } of body.shapes) {
        if (mesh && !mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
        const { min, max } = mesh ? mesh.geometry.boundingBox : new Box3().setFromArray(points);
        for (const x of [min.x, max.x]) {
          for (const y of [min.y, max.y]) {
            for (const z of [min.z, max.z]) out.push(new Vector3(x, y, z).applyMatrix4((mesh ?? object).matrixWorld));
          }
        }
      }
    }
    for (const { group, now } of this.links) {
      if (!group.visible) continue;
      for (let i = 0; i < 6; i += 3) out.push(new Vector3().fromArray(now, i).add(this.group.position));
    }
  }
}
