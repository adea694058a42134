// Templates of the forms that the vertex shader evaluates: four numbers per vertex, which are not
// places but what the formula of the form needs. The numbers of forms are those of src/data/forms.rs.

export const SUPERQUADRIC = 0;
export const PRISM = 1;
export const TABLET = 2;
export const MESH = 3;
export const PLANE = 4;
export const WALL = 5;

/** Forms that are drawn as instances. */
export const INSTANCED = [SUPERQUADRIC, PRISM, TABLET, MESH];

/** Number of levels of detail. */
export const LEVELS = 5;

/** Radius on the screen, pixels, from which the next finer level is drawn. */
const LEVEL_RADII = [4, 13, 45, 170];

/** Largest number of vertices of a mesh by group: meshes of one group are one draw call. */
const MESH_GROUPS = [60, 240, 960, 3840];

/** Returns the level of detail. @param {number} radius on the screen, pixels */
export function levelOf(radius) {
  let level = 0;
  while (level < LEVEL_RADII.length && radius > LEVEL_RADII[level]) level++;
  return level;
}

/** Returns the group of a mesh. @param {number} vertices */
export function meshGroup(vertices) {
  let group = 0;
  while (group < MESH_GROUPS.length && vertices > MESH_GROUPS[group]) group++;
  return group;
}

/** @typedef {{vertices: Float32Array, indices: Uint16Array}} Template */

/** Unit vectors of a divided icosahedron. @param {number} level @returns {Template} */
function sphereTemplate(level) {
  const g = (1 + Math.sqrt(5)) / 2;
  /** @type {number[][]} */
  let points = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]];
  let triangles = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]];
  const normalised = (/** @type {number[]} */ p) => p.map((x) => x / Math.hypot(...p));
  points = points.map(normalised);
  for (let k = 0; k < level; k++) {
    const middles = new Map();
    const middle = (/** @type {number} */ a, /** @type {number} */ b) => {
      const key = Math.min(a, b) * 65536 + Math.max(a, b);
      if (!middles.has(key)) {
        middles.set(key, points.length);
        points.push(normalised(points[a].map((x, axis) => x + points[b][axis])));
      }
      return middles.get(key);
    };
    triangles = triangles.flatMap(([a, b, c]) => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
  }
  return { vertices: new Float32Array(points.flatMap((p) => [...p, 0])), indices: new Uint16Array(triangles.flat()) };
}

/**
 * Rings around the axis: direction in the plane, parameter along the profile, part of the profile.
 * @param {number} sectors
 * @param {[number, number][][]} parts rings (parameter, part), pairs of neighbours are joined
 * @param {(ring: [number, number]) => boolean} isPole
 * @returns {Template}
 */
function rings(sectors, parts, isPole) {
  const vertices = [];
  const indices = [];
  for (const part of parts) {
    for (let r = 0; r < part.length; r++) {
      for (let k = 0; k < sectors; k++) {
        const angle = (2 * Math.PI * k) / sectors;
        vertices.push(Math.cos(angle), Math.sin(angle), ...part[r]);
      }
      if (r === 0) continue;
      const low = vertices.length / 4 - 2 * sectors;
      for (let k = 0; k < sectors; k++) {
        const [a, b] = [low + k, low + ((k + 1) % sectors)];
        if (!isPole(part[r - 1])) indices.push(a, b, b + sectors);
        if (!isPole(part[r])) indices.push(a, b + sectors, a + sectors);
      }
    }
  }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}

/** Faces and side of a prism: height -1 or 1, part 0 (middle of a face), 1 (its rim), 2 (side). */
function prismTemplate(/** @type {number} */ level) {
  const sectors = [8, 14, 24, 48, 96][level];
  return rings(sectors, [[[-1, 0], [-1, 1]], [[-1, 2], [1, 2]], [[1, 1], [1, 0]]], (ring) => ring[1] === 0);
}

/** Caps and band of a tablet: from apex (0) to edge (1), part 0 (lower cap), 1 (band: -1, 1), 2. */
function tabletTemplate(/** @type {number} */ level) {
  const sectors = [8, 12, 20, 40, 80][level];
  const steps = [2, 3, 5, 10, 20][level];
  /** @type {[number, number][]} */
  const low = [];
  /** @type {[number, number][]} */
  const high = [];
  for (let k = 0; k <= steps; k++) {
    low.push([k / steps, 0]);
    high.push([1 - k / steps, 2]);
  }
  return rings(sectors, [low, [[-1, 1], [1, 1]], high], ([at, part]) => part !== 1 && at === 0);
}

/** Returns the template of a form at a level. @param {number} form @param {number} level @returns {Template} */
export function templateOf(form, level) {
  if (form === SUPERQUADRIC) return sphereTemplate(level);
  return form === PRISM ? prismTemplate(level) : tabletTemplate(level);
}

/** A tube of unit radius: direction in the plane, end (0 or 1). @returns {Template} */
export function tubeTemplate() {
  return rings(8, [[[0, 0], [0, 2], [1, 2], [1, 0]]], (ring) => ring[1] === 0);
}
