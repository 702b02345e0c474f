// Lines with a width in pixels, whose points may move.
import { Color, InstancedInterleavedBuffer, InterleavedBufferAttribute } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

const AXES = new LineMaterial({ linewidth: 2, vertexColors: true, depthTest: false, transparent: true });

/** Three axes from the origin, seen through bodies. */
export class Triad {
  constructor(size) {
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions([0, 0, 0, size, 0, 0, 0, 0, 0, 0, size, 0, 0, 0, 0, 0, 0, size]);
    this.object = Object.assign(new LineSegments2(geometry, AXES), { raycast: () => {}, renderOrder: 1 });
  }

  /** Give x, y and z their colours. */
  paint(colors) {
    this.object.geometry.setColors(colors.flatMap((c) => [...new Color(c).toArray(), ...new Color(c).toArray()]));
  }
}

export class Stroke {
  /**
   * @param {number} most largest number of segments
   * @param {{color: string, width: number, opacity?: number}} look
   */
  constructor(most, { color, width, opacity = 1 }) {
    this.most = most;
    this.buffer = new InstancedInterleavedBuffer(new Float32Array(6 * Math.max(most, 1)), 6, 1);
    const geometry = new LineSegmentsGeometry();
    geometry.setAttribute("instanceStart", new InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute("instanceEnd", new InterleavedBufferAttribute(this.buffer, 3, 3));
    geometry.instanceCount = 0;
    this.material = new LineMaterial({ color, linewidth: width, opacity, transparent: opacity < 1, depthWrite: opacity === 1 });
    this.object = new LineSegments2(geometry, this.material);
    this.object.frustumCulled = false;
    this.object.raycast = () => {};
  }

  get count() {
    return this.object.geometry.instanceCount;
  }

  set count(n) {
    this.object.geometry.instanceCount = n;
  }

  /** Write one segment, from and to given as arrays with offsets. */
  segment(i, from, a, to, b) {
    const { array } = this.buffer;
    for (let d = 0; d < 3; d++) {
      array[6 * i + d] = from[a + d];
      array[6 * i + 3 + d] = to[b + d];
    }
    this.buffer.needsUpdate = true;
  }

  /** Draw a line through points [n][3]. */
  through(points) {
    const n = points.length / 3 - 1;
    for (let i = 0; i < n; i++) this.segment(i, points, 3 * i, points, 3 * i + 3);
    this.count = Math.max(n, 0);
  }
}
