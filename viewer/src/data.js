// Reading a page's scene: JSON whose numeric arrays lie in one deflated block of bytes.

const TYPES = { f4: Float32Array, f8: Float64Array, u2: Uint16Array, u4: Uint32Array };

/**
 * A typed array that knows its dimensions (C order).
 * @typedef {(Float32Array|Float64Array|Uint16Array|Uint32Array) & {shape: number[]}} Numbers
 */

/** The scene of a page with every array description replaced by a typed array with a `shape`. */
export async function readScene(page) {
  const scene = JSON.parse(textOf(page, "kaneflex-scene"));
  const bytes = await inflate(decode(textOf(page, "kaneflex-bytes").trim()));
  return checked(withArrays(scene, bytes, "scene"));
}

/** The scene of a message. */
export const sceneOf = async ({ scene, bytes }) => checked(withArrays(scene, await inflate(decode(bytes)), "scene"));

/** Further samples of a message, whose bytes are not deflated. */
export const samplesOf = ({ arrays, bytes }) => withArrays(arrays, decode(bytes).buffer, "samples");

/** Numbers given as a typed array or as nested lists, flat. */
export function flat(numbers) {
  return Array.isArray(numbers) ? Float32Array.from(numbers.flat(Infinity)) : numbers;
}

function textOf(page, id) {
  const element = page.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element.textContent;
}

function decode(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  if (bytes.length === 0) return new ArrayBuffer(0);
  if (!globalThis.DecompressionStream) throw new Error("this browser cannot inflate the data: a newer one is needed");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return await new Response(stream).arrayBuffer();
  } catch {
    throw new Error("the block of numbers is damaged and cannot be inflated");
  }
}

function withArrays(value, bytes, where) {
  if (Array.isArray(value)) {
    return typeof value[0] === "number" ? value : value.map((v, i) => withArrays(v, bytes, `${where}[${i}]`));
  }
  if (value === null || typeof value !== "object") return value;
  if ("at" in value && "shape" in value && "type" in value) return arrayOf(value, bytes, where);
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withArrays(v, bytes, `${where}.${k}`)]));
}

function arrayOf({ at, shape, type }, bytes, where) {
  const kind = TYPES[type];
  if (!kind) throw new Error(`${where} has the unknown type ${type}`);
  const count = shape.reduce((a, b) => a * b, 1);
  if (at + count * kind.BYTES_PER_ELEMENT > bytes.byteLength) throw new Error(`${where} lies outside the block of numbers`);
  return Object.assign(new kind(bytes, at, count), { shape });
}

function checked(scene) {
  if (scene.format !== 1) throw new Error(`format ${scene.format} is unknown to this viewer, which reads format 1`);
  if (!scene.runs?.length) throw new Error("there is no run in it");
  for (const run of scene.runs) {
    const samples = run.t?.length;
    if (!samples) throw new Error(`run ${run.name} has no times`);
    const fits = (array, width, what) => {
      const good = array?.shape?.[0] === samples && (width === null || array.length === samples * width);
      if (!good) throw new Error(`${what} of run ${run.name} does not fit its ${samples} times`);
    };
    if (run.anchor) fits(run.anchor, 3, "anchor");
    for (const body of run.bodies) {
      fits(body.pose, 7, `pose of ${body.name}`);
      if (body.modes) fits(body.modes, null, `modes of ${body.name}`);
      for (const [name, values] of Object.entries(body.along?.values ?? {})) fits(values, body.along.arcs.length, `${name} along ${body.name}`);
    }
    for (const arrow of run.arrows ?? []) {
      fits(arrow.at, 3, `point of ${arrow.name}`);
      fits(arrow.vector, 3, `vector of ${arrow.name}`);
    }
    for (const line of run.lines ?? []) fits(line.points, null, `points of ${line.name}`);
  }
  for (const plot of scene.plots ?? []) {
    for (const line of plot.lines) {
      if (line.values.length !== scene.runs[line.run]?.t.length) {
        throw new Error(`plot ${plot.name}, line ${line.label} does not fit the times of its run`);
      }
    }
  }
  return scene;
}
