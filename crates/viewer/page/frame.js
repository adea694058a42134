// One frame: bodies with poses and quantities, and the instances that show them.

import { INSTANCED, LEVELS, MESH, SUPERQUADRIC, levelOf, meshGroup } from './forms.js';
import { rotated } from './vectors.js';

/** Bytes of an instance: place, rotation, size, powers, colour, number. */
export const INSTANCE_BYTES = 48;

const WORDS = INSTANCE_BYTES / 4;

/** Largest factor by which a slender body is drawn more finely. */
const MOST_SLENDER = 2;

/** The shapes of a run. */
export class Shapes {
  /** @param {import('./message.js').Message} message */
  constructor({ head, arrays }) {
    this.count = head.count;
    this.isPlanar = head.planar;
    this.arrays = arrays;
    const { form, size, radius } = arrays;
    /** Radius that decides about the level of detail, m. */
    this.detail = Float32Array.from(radius, (own, k) => {
      if (form[k] !== SUPERQUADRIC) return own;
      // A slender body needs more triangles: its vertices gather where it is curved most.
      const [a, b, c] = size.subarray(3 * k, 3 * k + 3);
      return own * Math.min(MOST_SLENDER, Math.max(a, b, c) / Math.min(a, b, c));
    });
  }
}

/** The bodies at one instant. */
export class Frame {
  /** @param {import('./message.js').Message} message */
  constructor({ head, arrays }) {
    this.head = head;
    this.step = head.step;
    this.time = head.time;
    this.count = head.count;
    this.shapeCount = head.shapes;
    this.position = /** @type {Float32Array} */ (arrays.position);
    this.orientation = /** @type {Int16Array} */ (arrays.orientation);
    this.shape = /** @type {Uint16Array | Uint32Array} */ (arrays.shape);
    this.ids = /** @type {Uint32Array | undefined} */ (arrays.id);
    this.fixed = new Uint8Array(this.count);
    for (const index of head.fixed) this.fixed[index] = 1;
    /** @type {Map<string, ArrayLike<number>>} */
    this.quantities = new Map();
    /** @type {{pair: Uint32Array, ends: Float32Array, force: Float32Array} | null} */
    this.contacts = null;
    this.take(arrays);
  }

  /** Adds quantities and contacts of another message of the same frame. @param {import('./message.js').Arrays} arrays */
  take(arrays) {
    for (const name of Object.keys(arrays)) {
      if (name.startsWith('quantity ')) this.quantities.set(name.slice(9), arrays[name]);
    }
    if (arrays.contact_pair) {
      this.contacts = { pair: arrays.contact_pair, ends: arrays.contact_ends, force: arrays.contact_force };
    }
  }

  /** @param {number} index */
  idOf(index) {
    return this.ids ? this.ids[index] : index;
  }

  /** Returns the index of a body, or -1. @param {number} id */
  indexOf(id) {
    return this.ids ? this.ids.indexOf(id) : id < this.count ? id : -1;
  }

  /** @param {number} index @returns {import('./vectors.js').Vec} */
  placeOf(index) {
    return [this.position[3 * index], this.position[3 * index + 1], this.position[3 * index + 2]];
  }

  /** @param {number} index @returns {import('./vectors.js').Vec & number[]} */
  turnOf(index) {
    const q = Array.from(this.orientation.subarray(4 * index, 4 * index + 4), (x) => x / 32767);
    const length = Math.hypot(...q) || 1;
    return /** @type {any} */ (q.map((x) => x / length));
  }

  /**
   * Returns the values of a quantity, or null if they are not here.
   * @param {string} name @param {Shapes} shapes @param {number[]} origin
   */
  values(name, shapes, origin) {
    const known = this.quantities.get(name);
    if (known) return known;
    const each = (/** @type {(k: number) => number} */ value) => Float32Array.from(this.fixed, (_, k) => value(k));
    const axis = shapes.isPlanar ? 1 : 2;
    const { bound, kind } = shapes.arrays;
    /** @type {{[name: string]: () => Float32Array}} */
    const own = {
      id: () => each((k) => this.idOf(k)),
      height: () => each((k) => this.position[3 * k + axis] + origin[axis]),
      size: () => each((k) => 2 * bound[this.shape[k]]),
      kind: () => each((k) => kind[this.shape[k]]),
    };
    if (!own[name]) return null;
    const values = own[name]();
    this.quantities.set(name, values);
    return values;
  }

  /** Returns the box of all grains and bounded obstacles. @param {Shapes} shapes */
  bounds(shapes) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < this.count; k++) {
      const radius = shapes.arrays.radius[this.shape[k]];
      if (!INSTANCED.includes(shapes.arrays.form[this.shape[k]]) || !Number.isFinite(radius)) continue;
      for (let axis = 0; axis < 3; axis++) {
        const x = this.position[3 * k + axis];
        if (x - radius < low[axis]) low[axis] = x - radius;
        if (x + radius > high[axis]) high[axis] = x + radius;
      }
    }
    return low[0] <= high[0] ? { low, high } : { low: [-0.5, -0.5, -0.5], high: [0.5, 0.5, 0.5] };
  }
}

/** @typedef {{form: number, level: number, first: number, count: number, vertices: number}} Batch */

/** Instances in one buffer, sorted by form and level of detail. */
export class Instances {
  constructor() {
    this.buffer = new ArrayBuffer(0);
    /** @type {Batch[]} */
    this.batches = [];
    this.total = 0;
  }

  /**
   * Sorts the visible bodies.
   * @param {Frame} frame @param {Shapes} shapes @param {Uint32Array} colours @param {Uint8Array | null} visible
   * @param {import('./camera.js').Camera} camera @param {number} coarser levels
   */
  fill(frame, shapes, colours, visible, camera, coarser) {
    const { form, size, power, shift, mesh, span } = shapes.arrays;
    const { count, position, orientation, shape } = frame;
    const back = camera.axes()[2];
    const eye = camera.eye();
    const offset = back[0] * eye[0] + back[1] * eye[1] + back[2] * eye[2];
    const slots = new Int16Array(count).fill(-1);
    const counts = new Array(INSTANCED.length * LEVELS).fill(0);
    const vertices = new Array(counts.length).fill(0);
    for (let k = 0; k < count; k++) {
      const s = shape[k];
      const own = form[s];
      if (own > MESH || (visible && !visible[k])) continue;
      let slot;
      if (own === MESH) {
        const length = span[2 * mesh[s] + 1];
        slot = own * LEVELS + meshGroup(length);
        if (length > vertices[slot]) vertices[slot] = length;
      } else {
        const depth = offset - (back[0] * position[3 * k] + back[1] * position[3 * k + 1] + back[2] * position[3 * k + 2]);
        const level = levelOf(shapes.detail[s] * camera.pixelsPerMetre(depth));
        slot = own * LEVELS + Math.max(0, level - coarser);
      }
      slots[k] = slot;
      counts[slot]++;
    }
    this.total = counts.reduce((sum, n) => sum + n, 0);
    if (this.buffer.byteLength < this.total * INSTANCE_BYTES) this.buffer = new ArrayBuffer(Math.ceil(1.2 * this.total) * INSTANCE_BYTES);
    this.batches = [];
    const next = [];
    let first = 0;
    for (let slot = 0; slot < counts.length; slot++) {
      next.push(first);
      if (counts[slot] > 0) {
        this.batches.push({ form: Math.floor(slot / LEVELS), level: slot % LEVELS, first, count: counts[slot], vertices: vertices[slot] });
      }
      first += counts[slot];
    }
    const floats = new Float32Array(this.buffer);
    const shorts = new Int16Array(this.buffer);
    const words = new Uint32Array(this.buffer);
    for (let k = 0; k < count; k++) {
      if (slots[k] < 0) continue;
      const s = shape[k];
      const at = WORDS * next[slots[k]]++;
      floats[at] = position[3 * k];
      floats[at + 1] = position[3 * k + 1];
      floats[at + 2] = position[3 * k + 2];
      for (let c = 0; c < 4; c++) shorts[2 * (at + 3) + c] = orientation[4 * k + c];
      floats[at + 5] = size[3 * s];
      floats[at + 6] = size[3 * s + 1];
      floats[at + 7] = size[3 * s + 2];
      if (form[s] === MESH) {
        floats[at + 8] = span[2 * mesh[s]];
        floats[at + 9] = span[2 * mesh[s] + 1];
      } else {
        floats[at + 8] = power[2 * s];
        floats[at + 9] = power[2 * s + 1];
      }
      if (shift[s] !== 0) {
        const moved = rotated(frame.turnOf(k), [0, 0, shift[s]]);
        for (let axis = 0; axis < 3; axis++) floats[at + axis] += moved[axis];
      }
      words[at + 10] = colours[k];
      words[at + 11] = k + 1;
    }
  }
}
