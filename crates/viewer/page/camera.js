// The camera: it turns about a target, with z upward. A planar scene is seen along -z and only
// shifted.

import { add, norm, orthographic, perspective, product, scaled, subtract, dot, viewMatrix } from './vectors.js';

/** Tangent of half the angle of view, upward. */
const TANGENT = 0.24;

/** Standard views: azimuth and elevation, degrees. */
export const VIEWS = {
  front: [0, 0],
  right: [90, 0],
  back: [180, 0],
  left: [-90, 0],
  top: [0, 90],
  bottom: [0, -90],
  isometric: [45, 35.264],
  overview: [24, 21],
};

/** Nearest plane relative to the distance of the farthest, which keeps the depths precise. */
const NEAREST = 2e-4;

export class Camera {
  constructor() {
    /** @type {import('./vectors.js').Vec} */
    this.target = [0, 0, 0];
    this.distance = 1;
    this.azimuth = VIEWS.overview[0];
    this.elevation = VIEWS.overview[1];
    this.isOrthographic = false;
    this.isPlanar = false;
    /** Ball that contains everything. */
    this.middle = /** @type {import('./vectors.js').Vec} */ ([0, 0, 0]);
    this.reach = 1;
    this.width = 1;
    this.height = 1;
  }

  /** Directions to the right, upward and towards the eye. @returns {import('./vectors.js').Vec[]} */
  axes() {
    const [a, e] = [(this.azimuth * Math.PI) / 180, (this.elevation * Math.PI) / 180];
    const [sa, ca, se, ce] = [Math.sin(a), Math.cos(a), Math.sin(e), Math.cos(e)];
    return [[ca, sa, 0], [-sa * se, ca * se, ce], [sa * ce, -ca * ce, se]];
  }

  eye() {
    return add(this.target, scaled(this.distance, this.axes()[2]));
  }

  /** Half the height of the picture at the target, m. */
  halfHeight() {
    return this.distance * TANGENT;
  }

  /** Pixels per metre at a distance from the eye along the axis. @param {number} depth */
  pixelsPerMetre(depth) {
    const half = 0.5 * this.height;
    return this.isOrthographic ? half / this.halfHeight() : half / (TANGENT * Math.max(depth, 1e-3 * this.distance));
  }

  /**
   * Returns the matrix from world to screen. `shift` moves the picture by parts of a pixel.
   * @param {[number, number]} [shift]
   */
  matrix(shift = [0, 0]) {
    const [right, up, back] = this.axes();
    const eye = this.eye();
    const view = viewMatrix(right, up, back, eye);
    const depth = -dot(back, subtract(this.middle, eye));
    const far = depth + this.reach;
    const aspect = this.width / this.height;
    let lens;
    if (this.isOrthographic) {
      const half = this.halfHeight();
      lens = orthographic(half * aspect, half, depth - this.reach, far);
    } else {
      lens = perspective(TANGENT, aspect, Math.max(depth - this.reach, NEAREST * far, 1e-9), Math.max(far, 1e-6));
    }
    const moved = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, (2 * shift[0]) / this.width, (2 * shift[1]) / this.height, 0, 1];
    return product(moved, product(lens, view));
  }

  /** Direction (ends with 0) or place (ends with 1) of the eye. */
  seenFrom() {
    return this.isOrthographic ? [...this.axes()[2], 0] : [...this.eye(), 1];
  }

  /** Shows a box. @param {import('./vectors.js').Vec} low @param {import('./vectors.js').Vec} high */
  fit(low, high) {
    this.target = scaled(0.5, add(low, high));
    const aspect = this.width / this.height;
    if (this.isPlanar) {
      const half = subtract(high, this.target);
      this.distance = (1.06 * Math.max(half[1], half[0] / aspect)) / TANGENT;
      return;
    }
    const [right, up, back] = this.axes();
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = subtract([k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]], this.target);
      const across = Math.max(Math.abs(dot(corner, up)), Math.abs(dot(corner, right)) / aspect) / TANGENT;
      distance = Math.max(distance, across + (this.isOrthographic ? 0 : dot(corner, back)));
    }
    this.distance = 1.05 * distance || 1;
  }

  /** Sets what the depth range contains. @param {import('./vectors.js').Vec} low @param {import('./vectors.js').Vec} high */
  contain(low, high) {
    this.middle = scaled(0.5, add(low, high));
    this.reach = 1.01 * norm(subtract(high, this.middle)) || 1;
  }

  /** Turns by an angle, degrees. @param {number} dx @param {number} dy */
  turn(dx, dy) {
    this.azimuth = ((this.azimuth - dx + 540) % 360) - 180;
    this.elevation = Math.max(-90, Math.min(90, this.elevation + dy));
  }

  /** Shifts the target by pixels. @param {number} dx @param {number} dy */
  shift(dx, dy) {
    const [right, up] = this.axes();
    const metres = 1 / this.pixelsPerMetre(this.distance);
    this.target = add(this.target, add(scaled(-dx * metres, right), scaled(dy * metres, up)));
  }

  /** Zooms about a pixel, relative to the middle. @param {number} factor @param {number} x @param {number} y */
  zoom(factor, x, y) {
    this.shift(x, y);
    this.distance = Math.min(1e4 * this.reach, Math.max(1e-4 * this.reach, this.distance * factor));
    this.shift(-x, -y);
  }

  /** @param {keyof typeof VIEWS} name */
  look(name) {
    [this.azimuth, this.elevation] = VIEWS[name];
  }
}
