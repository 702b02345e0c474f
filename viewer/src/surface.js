// Triangles that may deform: sharp edges kept sharp, round ones round, outlines along creases and borders.
import { BufferAttribute, BufferGeometry, Color } from "three";

const CREASE = Math.cos((50 * Math.PI) / 180); // an eight-sided tube (45 degrees) still counts as round

/** Unit normals of triangles, zero where a triangle has no area. */
function faceNormals(vertices, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
    const [ux, uy, uz] = [vertices[b] - vertices[a], vertices[b + 1] - vertices[a + 1], vertices[b + 2] - vertices[a + 2]];
    const [vx, vy, vz] = [vertices[c] - vertices[a], vertices[c + 1] - vertices[a + 1], vertices[c + 2] - vertices[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(x, y, z) || Infinity;
    normals.set([x / length, y / length, z / length], f);
  }
  return normals;
}

const dot = (n, f, g) => n[3 * f] * n[3 * g] + n[3 * f + 1] * n[3 * g + 1] + n[3 * f + 2] * n[3 * g + 2];

/** Split vertices where faces meet at a crease: for each corner its new vertex, for each new vertex its source. */
function split(count, triangles, normals) {
  const facesAt = Array.from({ length: count }, () => []);
  triangles.forEach((v, corner) => facesAt[v].push(corner));
  const corners = new Uint32Array(triangles.length);
  const sources = [];
  const firstCopy = new Uint32Array(count);
  for (let v = 0; v < count; v++) {
    const waiting = new Set(facesAt[v]);
    firstCopy[v] = sources.length;
    if (waiting.size === 0) sources.push(v); // a vertex of no face keeps its place so that it can be asked for
    while (waiting.size) {
      const group = [waiting.values().next().value];
      waiting.delete(group[0]);
      for (const corner of group) {
        corners[corner] = sources.length;
        for (const other of waiting) {
          if (dot(normals, Math.floor(corner / 3), Math.floor(other / 3)) >= CREASE) {
            group.push(other);
            waiting.delete(other);
          }
        }
      }
      sources.push(v);
    }
  }
  return { corners, sources: Uint32Array.from(sources), firstCopy };
}

/** Pairs of vertices along creases and borders. */
function outline(count, triangles, normals) {
  const faces = new Map();
  for (let corner = 0; corner < triangles.length; corner++) {
    const next = corner % 3 === 2 ? corner - 2 : corner + 1;
    const [a, b] = [triangles[corner], triangles[next]];
    const key = Math.min(a, b) * count + Math.max(a, b);
    const known = faces.get(key);
    if (known) known.push(Math.floor(corner / 3));
    else faces.set(key, [Math.floor(corner / 3)]);
  }
  const pairs = [];
  for (const [key, of] of faces) {
    if (of.length !== 2 || dot(normals, of[0], of[1]) < CREASE) pairs.push(Math.floor(key / count), key % count);
  }
  return pairs;
}

export class Surface {
  /**
   * @param {Float32Array} vertices rows x y z in the shape's frame, m
   * @param {Uint32Array} triangles rows of three vertices
   * @param {import("./data.js").Numbers | null} modes displacements [m][n][3] for unit modal coordinates
   */
  constructor(vertices, triangles, modes = null) {
    const count = vertices.length / 3;
    for (const v of triangles) if (v >= count) throw new Error(`a triangle names vertex ${v}, but there are ${count}`);
    if (modes && modes.length % vertices.length) throw new Error("mode shapes do not fit the vertices of their surface");
    const normals = faceNormals(vertices, triangles);
    Object.assign(this, { vertices, modes, ...split(count, triangles, normals) });
    this.current = Float32Array.from(vertices);
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * this.sources.length), 3));
    this.geometry.setAttribute("normal", new BufferAttribute(new Float32Array(3 * this.sources.length), 3));
    this.geometry.setIndex(new BufferAttribute(this.corners, 1));
    const pairs = outline(count, triangles, normals).map((v) => this.firstCopy[v]);
    this.edges = pairs.length && pairs.length < 20000 ? new BufferGeometry() : null;
    this.edges?.setAttribute("position", this.geometry.getAttribute("position"));
    this.edges?.setIndex(pairs);
    this.write();
  }

  /** Move the vertices to modal coordinates q, enlarged by `scale`. */
  deform(q, scale) {
    const { vertices, modes, current } = this;
    current.set(vertices);
    for (let j = 0; j < modes.length / vertices.length; j++) {
      const factor = q[j] * scale;
      if (!factor) continue;
      const from = j * vertices.length;
      for (let i = 0; i < current.length; i++) current[i] += factor * modes[from + i];
    }
    this.write();
  }

  /** Length of a vertex's displacement as it stands now, m, as drawn. */
  displacement(v) {
    const { vertices, current } = this;
    return Math.hypot(current[3 * v] - vertices[3 * v], current[3 * v + 1] - vertices[3 * v + 1], current[3 * v + 2] - vertices[3 * v + 2]);
  }

  /** Colour the vertices by displacement; `most` is the one at the end of the scale, as drawn. */
  color(most) {
    this.shade((v) => (most > 0 ? this.displacement(v) / most : 0));
  }

  /** Colour each vertex by a fraction of the scale. */
  shade(fraction) {
    if (!this.geometry.getAttribute("color")) this.geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * this.sources.length), 3));
    const color = this.geometry.getAttribute("color");
    this.sources.forEach((v, i) => colorOf(fraction(v), color.array, 3 * i));
    color.needsUpdate = true;
  }

  /** Copy the vertices to their split places and recompute normals. */
  write() {
    const { current, sources, corners } = this;
    const position = this.geometry.getAttribute("position");
    const normal = this.geometry.getAttribute("normal");
    const [p, n] = [position.array, normal.array];
    for (let i = 0; i < sources.length; i++) {
      const s = 3 * sources[i];
      p[3 * i] = current[s];
      p[3 * i + 1] = current[s + 1];
      p[3 * i + 2] = current[s + 2];
    }
    n.fill(0);
    for (let f = 0; f < corners.length; f += 3) {
      const [a, b, c] = [3 * corners[f], 3 * corners[f + 1], 3 * corners[f + 2]];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx; // twice the area: large faces count more
      for (const v of [a, b, c]) {
        n[v] += x;
        n[v + 1] += y;
        n[v + 2] += z;
      }
    }
    for (let i = 0; i < n.length; i += 3) {
      const length = Math.hypot(n[i], n[i + 1], n[i + 2]) || 1;
      n[i] /= length;
      n[i + 1] /= length;
      n[i + 2] /= length;
    }
    position.needsUpdate = normal.needsUpdate = true;
    this.geometry.boundingSphere = this.geometry.boundingBox = null; // hovering asks for them anew
  }
}

// From dark to bright, even in lightness and safe for colour-blind readers.
export const SCALE = ["#27408b", "#2f7f9f", "#48ab8a", "#a8c256", "#f6d746"];
const LEVELS = SCALE.map((c) => new Color(c));

/** Colour of a fraction from 0 to 1, written into three numbers at an offset. */
function colorOf(fraction, out, at) {
  const place = Math.min(Math.max(fraction, 0), 1) * (LEVELS.length - 1);
  const i = Math.min(Math.floor(place), LEVELS.length - 2);
  const f = place - i;
  for (const [d, name] of [[0, "r"], [1, "g"], [2, "b"]]) out[at + d] = LEVELS[i][name] * (1 - f) + LEVELS[i + 1][name] * f;
}

/** Colour of a fraction of the scale. */
export function scaleColor(fraction) {
  const rgb = [0, 0, 0];
  colorOf(fraction, rgb, 0);
  return new Color(...rgb);
}

/** Vertices and triangles of a round tube along points. */
export function tube(points, radius, sides = 12) {
  const count = points.length / 3;
  const at = (i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));
  const vertices = [];
  const triangles = [];
  let side = null;
  for (let i = 0; i < count; i++) {
    const along = unit(minus(at(Math.min(i + 1, count - 1)), at(Math.max(i - 1, 0))));
    if (!side) side = cross(along, Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
    const over = side[0] * along[0] + side[1] * along[1] + side[2] * along[2];
    side = unit(minus(side, along.map((x) => x * over))); // carried along without twist
    const other = cross(along, side);
    for (let k = 0; k < sides; k++) {
      const [c, s] = [Math.cos((2 * Math.PI * k) / sides) * radius, Math.sin((2 * Math.PI * k) / sides) * radius];
      for (let d = 0; d < 3; d++) vertices.push(points[3 * i + d] + c * side[d] + s * other[d]);
      if (i > 0) {
        const [a, b] = [(i - 1) * sides + k, (i - 1) * sides + ((k + 1) % sides)];
        triangles.push(a, b, b + sides, a, b + sides, a + sides);
      }
    }
  }
  for (let k = 1; k < sides - 1; k++) {
    const end = (count - 1) * sides;
    triangles.push(0, k + 1, k, end, end + k, end + k + 1);
  }
  return { vertices: Float32Array.from(vertices), triangles: Uint32Array.from(triangles) };
}
