// The space that bodies are drawn in: camera, light, ground, and drawing only when something has changed.
import {
  BufferGeometry, CircleGeometry, Color, DirectionalLight, DoubleSide, Float32BufferAttribute, HemisphereLight, LineBasicMaterial,
  LineSegments, MathUtils, Mesh, MeshBasicMaterial, PCFShadowMap, PerspectiveCamera, Quaternion, Scene, ShadowMaterial, Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { alert, el } from "./dom.js";
import { roundNumber } from "./numbers.js";
import { colors, onTheme } from "./theme.js";

const FIELD = 30; // vertical angle of view, degrees
const MARGIN = 1.12; // half the drawing over what the points take of it
const CELLS = 14; // grid cells from the middle to the edge
const NEAR = 1; // levels of water and bed farther away than this, in extents of the motion, are not drawn
const ROUND = 48; // corners of the edge of a surface of water
const SHADE = 0.2; // darkness of shadows
const MAP = 2048; // pixels of the map of shadows, along each side

/** Three directions at right angles: to the right, into the picture, up; for up = z they are x, y, z. */
function basisOf(up) {
  const third = new Vector3(...up).normalize();
  const first = new Vector3(1, 0, 0);
  if (Math.abs(third.x) > 0.9) first.set(0, 1, 0);
  first.addScaledVector(third, -first.dot(third)).normalize();
  return { first, second: new Vector3().crossVectors(third, first), third };
}

const range = (values) => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);

/** Where a camera that looks along -z stands to see points touch both edges: its x (or y) and z; `slope` is of the edges. */
function fit(points, axis, slope) {
  const right = range(points.map((p) => p[axis] + slope * p[2]))[1];
  const left = range(points.map((p) => slope * p[2] - p[axis]))[1];
  return [(right - left) / 2, (right + left) / (2 * slope)];
}

export class Stage {
  /**
   * @param {HTMLElement} host element that the drawing fills
   * @param {number[]} up unit vector against gravity
   * @param {number} size characteristic length, m
   * @param {() => void} prepare called before each drawing
   */
  constructor(host, up, size, prepare) {
    Object.assign(this, { host, size, prepare, basis: basisOf(up), waiting: false, seen: true, drawn: 0 });
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(FIELD, 1, size / 100, size * 100);
    this.camera.up.copy(this.basis.third);
    this.scene.add(this.camera);
    this.light();
    this.renderer = this.makeRenderer();
    this.controls = new OrbitControls(this.camera, this.renderer?.domElement ?? null);
    this.controls.addEventListener("change", () => this.request());
    this.controls.zoomSpeed = 1.2;
    if (this.renderer) this.attach();
  }

  makeRenderer() {
    try {
      return new WebGLRenderer({ antialias: true, alpha: true });
    } catch {
      this.host.append(alert("This browser offers no WebGL, so the bodies cannot be drawn. Plots, times and tables work as usual."));
      this.host.classList.add("kf-empty");
      return null;
    }
  }

  attach() {
    const canvas = this.renderer.domElement;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    Object.assign(this.renderer.shadowMap, { enabled: true, type: PCFShadowMap });
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Bodies in space; drag to turn, press the right button to shift, scroll to zoom");
    canvas.addEventListener("webglcontextrestored", () => this.request());
    this.host.prepend(canvas);
    this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.dampingFactor = 0.18;
    this.wheelOnlyWhenWanted(canvas);
    new ResizeObserver(() => this.resize() && this.draw()).observe(this.host); // at once: a new canvas is empty
    new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting && !this.seen) this.request();
      this.seen = entry.isIntersecting;
    }).observe(this.host);
    this.resize();
  }

  /** The wheel scrolls the page until the drawing has been clicked, so that a reader does not get stuck in it. */
  wheelOnlyWhenWanted(canvas) {
    const hint = el("p", { class: "kf-hint", "aria-hidden": "true" }, "Click the drawing, or hold Ctrl, to zoom");
    this.host.append(hint);
    let timer;
    this.host.addEventListener("wheel", (event) => {
      if (document.activeElement === canvas || event.ctrlKey || event.metaKey || document.fullscreenElement) return;
      event.stopPropagation();
      hint.classList.add("kf-on");
      clearTimeout(timer);
      timer = setTimeout(() => hint.classList.remove("kf-on"), 1200);
    }, { capture: true, passive: true });
    canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
  }

  light() {
    const sky = new HemisphereLight(0xffffff, 0xc4ccd4, 2.1);
    sky.position.copy(this.basis.third);
    const lamp = new DirectionalLight(0xffffff, 1.7);
    lamp.position.set(-0.5, 0.9, 1.2);
    this.camera.add(lamp);
    this.scene.add(sky);
  }

  /** Fit the canvas to its host; whether its size changed. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height || (this.width === width && this.height === height)) return false;
    Object.assign(this, { width, height });
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.cloud && !this.touched) this.view(this.direction, this.cloud.map((point) => point.add(this.shifted)));
    return true;
  }

  /** Give back what the drawing took. */
  dispose() {
    this.controls.dispose();
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
    this.renderer = null;
  }

  /** Ask for one drawing at the next frame. */
  request() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    this.prepare();
    this.controls.update();
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 300;
    this.camera.far = distance * 4 + 30 * this.reach();
    this.camera.updateProjectionMatrix();
    if (!this.renderer || !this.seen) return;
    this.renderer.render(this.scene, this.camera);
    this.drawn += 1;
    this.onDrawn?.();
  }

  /** Pixels of a metre at the depth of the point that the camera looks at. */
  perMetre() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (this.height ?? 1) / (2 * distance * Math.tan(MathUtils.degToRad(FIELD / 2)));
  }

  /** Distance within which all there is to draw lies. */
  reach() {
    return (this.extent ?? 0) + this.size;
  }

  /** Direction from the bodies to the camera for a named view; `box` decides which side shows most. */
  named(name, box) {
    const { first, second, third } = this.basis;
    const sum = (a, b, c) => new Vector3().addScaledVector(first, a).addScaledVector(second, b).addScaledVector(third, c);
    if (name === "front") return sum(0, -1, 0);
    if (name === "back") return sum(0, 1, 0);
    if (name === "side") return sum(1, 0, 0);
    if (name === "top") return sum(0, -1e-3, 1);
    if (name === "bottom") return sum(0, -1e-3, -1);
    const extent = box.getSize(new Vector3());
    const along = (v) => Math.abs(v.x) * extent.x + Math.abs(v.y) * extent.y + Math.abs(v.z) * extent.z;
    const flat = along(third) < 0.25 * Math.max(along(first), along(second));
    const height = flat ? 0.9 : 0.5;
    return along(second) <= along(first) * 1.2 ? sum(0.55, -1, height) : sum(1, -0.55, height);
  }

  /** Look from a direction so that points fill the drawing. */
  view(direction, cloud) {
    Object.assign(this, { direction: direction.clone(), cloud, shifted: new Vector3() });
    const towards = direction.clone().normalize();
    const side = new Vector3().crossVectors(this.camera.up, towards);
    if (side.lengthSq() < 1e-12) side.copy(this.basis.first);
    side.normalize();
    const high = new Vector3().crossVectors(towards, side);
    const seen = cloud.map((p) => [p.dot(side), p.dot(high), p.dot(towards)]);
    const tall = Math.tan(MathUtils.degToRad(FIELD / 2)) / MARGIN;
    const [x, far] = fit(seen, 0, tall * this.camera.aspect);
    const [y, farther] = fit(seen, 1, tall);
    const [near, back] = range(seen.map((p) => p[2])).reverse();
    const z = (near + back) / 2;
    const distance = Math.max(far - z, farther - z, near - z + this.size * 0.05);
    this.controls.target.set(0, 0, 0).addScaledVector(side, x).addScaledVector(high, y).addScaledVector(towards, z);
    this.camera.position.copy(this.controls.target).addScaledVector(towards, distance);
    this.controls.update();
    this.request();
  }

  /** Shift camera and target together. */
  shift(by) {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.shifted?.add(by);
  }

  /** A surface of water at a height, shown and hidden with the grid, where it is near; points of it that the camera should see. */
  water(box, height) {
    const { first, second, third } = this.basis;
    const middle = box.getCenter(new Vector3());
    const extent = box.getSize(new Vector3()).length();
    const above = height - middle.dot(third);
    if (Math.abs(above) > NEAR * extent) return [];
    const centre = middle.addScaledVector(third, above);
    const rings = 12;
    const [points, fading, corners] = [[], [], []];
    for (let i = 0; i <= rings; i++) {
      for (let j = 0; j < ROUND; j++) {
        const [r, a] = [(1.1 * extent * i) / rings, (2 * Math.PI * j) / ROUND];
        points.push(...centre.clone().addScaledVector(first, r * Math.cos(a)).addScaledVector(second, r * Math.sin(a)));
        fading.push(1, 1, 1, 0.3 * (1 - i / rings) ** 1.2);
        const [p, q] = [i * ROUND + j, i * ROUND + ((j + 1) % ROUND)];
        if (i < rings) corners.push(p, p + ROUND, q, q, p + ROUND, q + ROUND);
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(fading, 4));
    geometry.setIndex(corners);
    const material = new MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, side: DoubleSide });
    const surface = new Mesh(geometry, material);
    surface.raycast = () => {};
    const paint = () => material.color = new Color(colors().water);
    paint();
    onTheme(paint);
    this.grid.add(surface);
    this.levels.water = height;
    return [centre];
  }

  /** A grid at right angles to up through the lowest point of a box; returns the width of its cells, m. */
  ground(box, at = null) {
    const { first, second, third } = this.basis;
    this.extent = box.getSize(new Vector3()).length();
    const middle = box.getCenter(new Vector3());
    const half = box.getSize(new Vector3()).multiplyScalar(0.5);
    const low = middle.dot(third) - Math.abs(half.x * third.x) - Math.abs(half.y * third.y) - Math.abs(half.z * third.z);
    const cell = roundNumber(Math.max(half.length(), this.size / 2) / 5);
    const near = at !== null && Math.abs(at - middle.dot(third)) < NEAR * this.extent;
    const height = near ? at : (Math.abs(low) < 0.04 * this.size ? 0 : low - 0.02 * this.size);
    const snapped = (v) => Math.round(middle.dot(v) / cell) * cell;
    const origin = new Vector3().addScaledVector(first, snapped(first)).addScaledVector(second, snapped(second)).addScaledVector(third, height);
    const points = [];
    const fading = [];
    const add = (i, j) => {
      points.push(...origin.clone().addScaledVector(first, i * cell).addScaledVector(second, j * cell));
      fading.push(1, 1, 1, Math.max(0, 1 - Math.hypot(i, j) / CELLS) ** 1.2 * 0.75);
    };
    for (let i = -CELLS; i <= CELLS; i++) {
      for (let j = -CELLS; j < CELLS; j++) {
        add(i, j), add(i, j + 1);
        add(j, i), add(j + 1, i);
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(fading, 4));
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.grid = new LineSegments(geometry, material);
    this.grid.renderOrder = -1;
    const paint = () => material.color = new Color(colors().ground);
    paint();
    onTheme(paint);
    this.scene.add(this.grid);
    this.levels = { ground: height };
    this.shadows(box, height);
    return cell;
  }

  /** A lamp from above whose light bodies keep from the ground, over all the motion in a box. */
  shadows(box, height) {
    const { first, second, third } = this.basis;
    const middle = box.getCenter(new Vector3());
    const reach = Math.max(this.extent, this.size) * 0.75;
    const lamp = new DirectionalLight(0xffffff, 0.9);
    lamp.position.copy(middle).addScaledVector(third, 3 * reach).addScaledVector(first, 0.8 * reach).addScaledVector(second, -reach);
    lamp.target.position.copy(middle);
    lamp.castShadow = true;
    lamp.shadow.mapSize.set(MAP, MAP);
    Object.assign(lamp.shadow, { radius: 4, bias: -4e-4, normalBias: reach * 4e-4 });
    Object.assign(lamp.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach, far: 7 * reach });
    const floor = new Mesh(new CircleGeometry(2.2 * reach, ROUND), new ShadowMaterial({ opacity: SHADE, depthWrite: false }));
    floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), third);
    floor.position.copy(middle).addScaledVector(third, height - middle.dot(third));
    floor.receiveShadow = true;
    Object.assign(floor, { raycast: () => {}, renderOrder: -2 });
    this.grid.add(floor);
    this.scene.add(lamp, lamp.target);
  }

  /** How the world's axes lie in the picture: each as x to the right, y up, z towards the reader. */
  axesInView() {
    const turn = new Quaternion().copy(this.camera.quaternion).invert();
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((v) => new Vector3(...v).applyQuaternion(turn));
  }
}
