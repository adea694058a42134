// Walls: planes inside the room, and surfaces of triangles.

import { PLANE, WALL } from './forms.js';
import { add, dot, rotated, scaled, subtract, tangents } from './vectors.js';

/** @typedef {import('./vectors.js').Vec} Vec */
/** @typedef {{low: Vec, high: Vec}} Room */
/** @typedef {{first: number, count: number, place: Vec, turn: number[], twoSided: boolean, mesh: number}} Wall */

/** Width of the line of a wall of a planar scene, relative to the size of the room. */
const LINE_WIDTH = 0.012;

/** Distance by which planes reach beyond the room, relative to its size, so that edges are closed. */
const BEYOND = 1e-4;

/** Cuts a polygon to the side where a component is below (or above) a limit. @param {Vec[]} polygon @param {number} axis @param {number} limit @param {number} side */
function cutPolygon(polygon, axis, limit, side) {
  /** @type {Vec[]} */
  const kept = [];
  polygon.forEach((point, k) => {
    const next = polygon[(k + 1) % polygon.length];
    const [here, there] = [side * (limit - point[axis]), side * (limit - next[axis])];
    if (here >= 0) kept.push(point);
    if (here >= 0 !== there >= 0) kept.push(add(point, scaled(here / (here - there), subtract(next, point))));
  });
  return kept;
}

/** Returns the part of a plane in a room. @param {Vec} point @param {Vec} normal @param {Room} room */
function planeIn(point, normal, { low, high }) {
  const size = Math.hypot(...subtract(high, low));
  const middle = scaled(0.5, add(low, high));
  const foot = add(middle, scaled(dot(subtract(point, middle), normal), normal));
  const [t, u] = tangents(normal);
  const corner = (/** @type {number} */ a, /** @type {number} */ b) => add(foot, add(scaled(a * size, t), scaled(b * size, u)));
  let polygon = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  for (let axis = 0; axis < 3; axis++) {
    polygon = cutPolygon(polygon, axis, high[axis] + BEYOND * size, 1);
    polygon = cutPolygon(polygon, axis, low[axis] - BEYOND * size, -1);
  }
  return polygon;
}

/** Returns the line of a plane in a planar scene, of some width. @param {Vec} point @param {Vec} normal @param {Room} room */
function lineIn(point, normal, { low, high }) {
  const width = LINE_WIDTH * Math.hypot(high[0] - low[0], high[1] - low[1]);
  const grown = { low: /** @type {Vec} */ ([low[0] - width, low[1] - width, -1]), high: /** @type {Vec} */ ([high[0] + width, high[1] + width, 1]) };
  const middle = scaled(0.5, add(low, high));
  const foot = add(middle, scaled(dot(subtract(point, middle), normal), normal));
  /** @type {Vec} */
  const along = [-normal[1], normal[0], 0];
  const far = Math.hypot(high[0] - low[0], high[1] - low[1]) + 2 * width;
  /** @type {Vec[]} */
  let polygon = [add(foot, scaled(-far, along)), add(foot, scaled(far, along))];
  polygon.push(add(polygon[1], scaled(-width, normal)), add(polygon[0], scaled(-width, normal)));
  for (let axis = 0; axis < 2; axis++) {
    polygon = cutPolygon(polygon, axis, grown.high[axis], 1);
    polygon = cutPolygon(polygon, axis, grown.low[axis], -1);
  }
  return polygon.map((corner) => /** @type {Vec} */ ([corner[0], corner[1], 0]));
}

/**
 * Returns the planes of a frame as triangles with normals.
 * @param {import('./frame.js').Frame} frame @param {import('./frame.js').Shapes} shapes @param {Room} room
 */
export function planesOf(frame, shapes, room) {
  const vertices = [];
  for (let k = 0; k < frame.count; k++) {
    const s = frame.shape[k];
    if (shapes.arrays.form[s] !== PLANE) continue;
    const own = /** @type {Vec} */ (Array.from(shapes.arrays.size.subarray(3 * s, 3 * s + 3)));
    const normal = rotated(frame.turnOf(k), own);
    const polygon = (shapes.isPlanar ? lineIn : planeIn)(frame.placeOf(k), normal, room);
    for (let c = 2; c < polygon.length; c++) {
      for (const corner of [polygon[0], polygon[c - 1], polygon[c]]) {
        vertices.push(...corner, ...(shapes.isPlanar ? [0, 0, 1] : normal));
      }
    }
  }
  return new Float32Array(vertices);
}

/**
 * Returns the surfaces of triangles of a frame.
 * @param {import('./frame.js').Frame} frame @param {import('./frame.js').Shapes} shapes
 */
export function surfacesOf(frame, shapes) {
  /** @type {Wall[]} */
  const walls = [];
  const { form, mesh, span, two_sided: twoSided } = shapes.arrays;
  for (let k = 0; k < frame.count; k++) {
    const s = frame.shape[k];
    if (form[s] !== WALL) continue;
    const [first, count] = span.subarray(2 * mesh[s], 2 * mesh[s] + 2);
    walls.push({ first, count, place: frame.placeOf(k), turn: frame.turnOf(k), twoSided: twoSided[s] === 1, mesh: mesh[s] });
  }
  return walls;
}
