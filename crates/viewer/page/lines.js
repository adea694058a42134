// Tubes: contact forces, and the track of a grain.

/** Bytes of a tube: two ends, radius, colour. */
export const TUBE_BYTES = 32;

const WORDS_OF_TUBE = TUBE_BYTES / 4;

/** Radius of the tube of the largest force, relative to the radius of a typical grain. */
const LARGEST_TUBE = 0.45;

/** Radius of the track, relative to that of a typical grain. */
const TRACK_TUBE = 0.12;

const FORCE_LOW = [246, 182, 92];
const FORCE_HIGH = [150, 12, 40];
const TRACK = [20, 150, 200];

/** Returns the median radius of the grains. @param {import('./frame.js').Frame} frame @param {import('./frame.js').Shapes} shapes */
export function typicalRadius(frame, shapes) {
  const radii = [];
  const stride = Math.max(1, Math.floor(frame.count / 999));
  for (let k = 0; k < frame.count; k += stride) {
    const radius = shapes.arrays.radius[frame.shape[k]];
    if (!frame.fixed[k] && Number.isFinite(radius)) radii.push(radius);
  }
  radii.sort((a, b) => a - b);
  return radii[Math.floor(radii.length / 2)] || 1;
}

/**
 * Fills tubes with contact forces and a track. The radius is proportional to the force.
 * @param {import('./frame.js').Frame} frame @param {import('./frame.js').Shapes} shapes
 * @param {{on: boolean, width: number, least: number}} forces
 * @param {Uint8Array | null} visible @param {Float32Array | null} track
 */
export function tubesOf(frame, shapes, forces, visible, track) {
  const contacts = forces.on ? frame.contacts : null;
  const steps = track ? Math.max(0, track.length / 3 - 1) : 0;
  const most = (contacts ? contacts.force.length : 0) + steps;
  const buffer = new ArrayBuffer(most * TUBE_BYTES);
  const floats = new Float32Array(buffer);
  const bytes = new Uint8Array(buffer);
  const radius = typicalRadius(frame, shapes);
  let count = 0;
  let greatest = 0;
  const put = (/** @type {ArrayLike<number>} */ ends, /** @type {number} */ first, /** @type {number} */ wide, /** @type {number[]} */ colour) => {
    const at = WORDS_OF_TUBE * count++;
    for (let c = 0; c < 6; c++) floats[at + c] = ends[first + c];
    floats[at + 6] = wide;
    bytes.set([...colour, 255], 4 * (at + 7));
  };
  if (contacts) {
    for (const force of contacts.force) if (force > greatest) greatest = force;
    for (let k = 0; k < contacts.force.length; k++) {
      const part = contacts.force[k] / greatest;
      if (!(part > 0) || part < forces.least) continue;
      const [a, b] = [contacts.pair[2 * k], contacts.pair[2 * k + 1]];
      if (visible && !((visible[a] || frame.fixed[a]) && (visible[b] || frame.fixed[b]))) continue;
      const colour = FORCE_LOW.map((low, c) => Math.round(low + part * (FORCE_HIGH[c] - low)));
      put(contacts.ends, 6 * k, LARGEST_TUBE * forces.width * radius * part, colour);
    }
  }
  for (let k = 0; k < steps && track; k++) put(track, 3 * k, TRACK_TUBE * radius, TRACK);
  return { data: new Uint8Array(buffer, 0, count * TUBE_BYTES), count, greatest };
}
