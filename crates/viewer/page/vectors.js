// Vectors, matrices and rotations. Vectors are arrays of 3 numbers, matrices are arrays of 16 numbers
// by columns, rotations are arrays x, y, z, w.

/** @typedef {[number, number, number]} Vec */
/** @typedef {number[]} Matrix */

/** @param {Vec} a @param {Vec} b @returns {Vec} */
export function add(a, b) {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** @param {Vec} a @param {Vec} b @returns {Vec} */
export function subtract(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** @param {number} factor @param {Vec} a @returns {Vec} */
export function scaled(factor, a) {
  return [factor * a[0], factor * a[1], factor * a[2]];
}

/** @param {Vec} a @param {Vec} b */
export function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** @param {Vec} a @param {Vec} b @returns {Vec} */
export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** @param {Vec} a */
export function norm(a) {
  return Math.hypot(a[0], a[1], a[2]);
}

/** @param {Vec} a @returns {Vec} */
export function unit(a) {
  const length = norm(a);
  return length > 0 ? scaled(1 / length, a) : [0, 0, 1];
}

/** Rotates a vector. @param {ArrayLike<number>} q @param {Vec} v @returns {Vec} */
export function rotated(q, v) {
  /** @type {Vec} */
  const axis = [q[0], q[1], q[2]];
  const twice = scaled(2, cross(axis, v));
  return add(add(v, scaled(q[3], twice)), cross(axis, twice));
}

/** Returns the product of two matrices. @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export function product(a, b) {
  const result = new Array(16).fill(0);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      for (let k = 0; k < 4; k++) result[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    }
  }
  return result;
}

/**
 * Returns the matrix from world axes to the axes of an eye.
 * @param {Vec} right @param {Vec} up @param {Vec} back @param {Vec} eye @returns {Matrix}
 */
export function viewMatrix(right, up, back, eye) {
  const row = [right, up, back];
  const matrix = [];
  for (let k = 0; k < 3; k++) matrix.push(row[0][k], row[1][k], row[2][k], 0);
  matrix.push(-dot(right, eye), -dot(up, eye), -dot(back, eye), 1);
  return matrix;
}

/**
 * Returns a perspective projection. `tangent` is that of half the angle of view, upward.
 * @param {number} tangent @param {number} aspect @param {number} near @param {number} far @returns {Matrix}
 */
export function perspective(tangent, aspect, near, far) {
  const depth = 1 / (near - far);
  return [1 / (tangent * aspect), 0, 0, 0, 0, 1 / tangent, 0, 0, 0, 0, (near + far) * depth, -1, 0, 0, 2 * near * far * depth, 0];
}

/**
 * Returns an orthographic projection.
 * @param {number} width half @param {number} height half @param {number} near @param {number} far @returns {Matrix}
 */
export function orthographic(width, height, near, far) {
  const depth = 1 / (near - far);
  return [1 / width, 0, 0, 0, 0, 1 / height, 0, 0, 0, 0, 2 * depth, 0, 0, 0, (near + far) * depth, 1];
}

/** Returns two unit vectors perpendicular to a unit vector. @param {Vec} n @returns {[Vec, Vec]} */
export function tangents(n) {
  const t = unit(cross(Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], n));
  return [t, cross(n, t)];
}
