// Shapes of bodies as objects to draw.
import {
  BoxGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, EdgesGeometry, FrontSide, Group, LineBasicMaterial, LineSegments,
  Matrix4, Mesh, MeshPhongMaterial, Quaternion, SphereGeometry,
} from "three";
import { flat } from "./data.js";
import { Stroke } from "./strokes.js";
import { scaleColor, Surface, tube } from "./surface.js";
import { colors } from "./theme.js";

const SOLIDS = {
  box: (s) => new BoxGeometry(...s.size),
  sphere: (s) => new SphereGeometry(s.radius, 32, 20),
  ellipsoid: (s) => new SphereGeometry(1, 32, 20).scale(...s.radii),
  cylinder: (s) => new CylinderGeometry(s.radius, s.radius, s.length, 36).rotateX(Math.PI / 2),
  cone: (s) => new ConeGeometry(s.radius, s.length, 36, 12).rotateX(Math.PI / 2).translate(0, 0, s.length / 2),
};
const made = new Map();

/** Triangles and edges of a solid, shared by all solids of the same dimensions; null for other types. */
function solid(shape) {
  if (!SOLIDS[shape.type]) return null;
  const key = JSON.stringify([shape.type, shape.size, shape.radius, shape.radii, shape.length]);
  if (!made.has(key)) {
    const geometry = SOLIDS[shape.type](shape);
    made.set(key, { geometry, edges: new EdgesGeometry(geometry, 40) });
  }
  return made.get(key);
}

const SURFACES = {
  mesh: (s) => new Surface(flat(s.vertices), Uint32Array.from(flat(s.triangles))),
  skin: (s) => Object.assign(new Surface(flat(s.vertices), Uint32Array.from(flat(s.triangles)), s.modes ? flat(s.modes) : null), { arcs: s.arcs ? flat(s.arcs) : null }),
  tube: (s) => {
    const { vertices, triangles } = tube(flat(s.points), s.radius);
    return new Surface(vertices, triangles);
  },
};

/** Quaternion of a rotation given as nine numbers, row by row. */
export function turnOf(axes) {
  const [a, b, c, d, e, f, g, h, i] = axes;
  return new Quaternion().setFromRotationMatrix(new Matrix4().set(a, b, c, 0, d, e, f, 0, g, h, i, 0, 0, 0, 0, 1));
}

/**
 * How bodies of a run look.
 * @typedef {{color: (body: number, own: string | undefined) => string, ghost: boolean}} Look
 */

/**
 * The object of a shape; `surface` is there when it consists of triangles given by the scene.
 * @param {object} shape
 * @param {number} body index of its body
 * @param {Look} look
 */
export function makeShape(shape, body, look) {
  const color = () => look.color(body, shape.color);
  const opacity = (shape.opacity ?? 1) * (look.ghost ? 0.32 : 1);
  const object = new Group();
  if (shape.position) object.position.fromArray(flat(shape.position));
  if (shape.axes) object.quaternion.copy(turnOf(flat(shape.axes)));
  if (shape.type === "line") return lineShape(object, shape, color, opacity);
  const surface = SURFACES[shape.type]?.(shape) ?? null;
  const { geometry, edges } = surface ?? solid(shape) ?? {};
  if (!geometry) throw new Error(`a shape of body ${body} has the unknown type ${shape.type}`);
  const material = new MeshPhongMaterial({
    color: color(), specular: 0x1c1c1c, shininess: 28, opacity, transparent: opacity < 1, depthWrite: opacity > 0.6,
    side: surface ? DoubleSide : FrontSide, polygonOffset: true, polygonOffsetFactor: look.ghost ? 2 : 1, polygonOffsetUnits: look.ghost ? 2 : 1,
  });
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = !surface?.modes;
  mesh.castShadow = opacity > 0.6;
  object.add(mesh);
  const drawn = new LineBasicMaterial({ transparent: true, opacity: look.ghost ? 0.35 : 0.55, depthWrite: false });
  if (edges) {
    const lines = new LineSegments(edges, drawn);
    lines.raycast = () => {};
    lines.frustumCulled = mesh.frustumCulled;
    object.add(lines);
  }
  let shade = null; // fraction of the scale that all of it is coloured by
  const paint = () => {
    material.color.set(material.vertexColors ? "#fff" : shade === null ? color() : scaleColor(shade));
    drawn.color.set(color()).lerp(new Color(colors().edge), 0.6);
  };
  const tint = (on) => {
    material.vertexColors = on;
    material.needsUpdate = true;
    paint();
  };
  const tone = (fraction) => {
    if (fraction === shade) return;
    shade = fraction;
    paint();
  };
  paint();
  return { object, mesh, surface, paint, tone, tint: surface?.modes ? tint : null };
}

function lineShape(object, shape, color, opacity) {
  const points = flat(shape.points);
  const stroke = new Stroke(points.length / 3 - 1, { color: color(), width: 2, opacity });
  stroke.through(points);
  object.add(stroke.object);
  return { object, mesh: null, surface: null, points, paint: () => stroke.material.color.set(color()), tone: () => {} };
}
