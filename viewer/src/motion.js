// Between samples: linear in positions, modal coordinates and channels, along the shortest arc in rotations.
import { Quaternion } from "three";

/**
 * Where a time lies among samples.
 * @typedef {{k: number, f: number}} Place  sample k and the fraction f in [0, 1) of the way to k + 1
 */

/** Place of time t among increasing times; before the first and after the last it stays there. */
export function placeOf(times, t) {
  const last = times.length - 1;
  if (!(t > times[0])) return { k: 0, f: 0 };
  if (t >= times[last]) return { k: last, f: 0 };
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return { k: low, f: (t - times[low]) / (times[high] - times[low]) };
}

/** Row of `width` numbers at a place, written into `out`. */
export function rowAt(values, width, { k, f }, out) {
  const a = k * width;
  if (f === 0) for (let i = 0; i < width; i++) out[i] = values[a + i];
  else for (let i = 0; i < width; i++) out[i] = values[a + i] * (1 - f) + values[a + width + i] * f;
  return out;
}

/** Value of a channel at a place. */
export function valueAt(values, { k, f }) {
  return f === 0 ? values[k] : values[k] * (1 - f) + values[k + 1] * f;
}

const turn = [0, 0, 0, 1];

/**
 * Pose at a place, written into a position and a quaternion; false when the body is not there.
 * @param {Float32Array} poses rows x y z qw qx qy qz
 */
export function poseAt(poses, { k, f }, position, quaternion) {
  const a = 7 * k;
  if (Number.isNaN(poses[a]) || (f > 0 && Number.isNaN(poses[a + 7]))) return false;
  const at = (i) => (f === 0 ? poses[a + i] : poses[a + i] * (1 - f) + poses[a + 7 + i] * f);
  position.set(at(0), at(1), at(2));
  if (f === 0) {
    quaternion.set(poses[a + 4], poses[a + 5], poses[a + 6], poses[a + 3]);
  } else {
    const from = [poses[a + 4], poses[a + 5], poses[a + 6], poses[a + 3]];
    const to = [poses[a + 11], poses[a + 12], poses[a + 13], poses[a + 10]];
    Quaternion.slerpFlat(turn, 0, from, 0, to, 0, f);
    quaternion.set(turn[0], turn[1], turn[2], turn[3]);
  }
  quaternion.normalize();
  return true;
}
