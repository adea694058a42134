// Thin helpers over WebGL 2.

import { PROGRAMS } from './shaders.js';

/** @typedef {{handle: WebGLProgram, places: {[name: string]: WebGLUniformLocation | null}}} Program */

/** Programs are compiled when they are first used. */
export class Programs {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    /** @type {Map<string, Program>} */
    this.made = new Map();
  }

  /** Makes a program current. @param {keyof typeof PROGRAMS} name @returns {Program} */
  use(name) {
    let program = this.made.get(name);
    if (!program) {
      program = compiled(this.gl, PROGRAMS[name]);
      this.made.set(name, program);
    }
    this.gl.useProgram(program.handle);
    return program;
  }
}

/** @param {WebGL2RenderingContext} gl @param {string[]} sources @returns {Program} */
function compiled(gl, sources) {
  const handle = gl.createProgram();
  [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach((type, k) => {
    const shader = /** @type {WebGLShader} */ (gl.createShader(type));
    gl.shaderSource(shader, sources[k]);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(`${gl.getShaderInfoLog(shader)}`);
    gl.attachShader(handle, shader);
  });
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) throw new Error(`${gl.getProgramInfoLog(handle)}`);
  /** @type {{[name: string]: WebGLUniformLocation | null}} */
  const places = {};
  for (let k = 0; k < gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = /** @type {WebGLActiveInfo} */ (gl.getActiveUniform(handle, k));
    places[name] = gl.getUniformLocation(handle, name);
  }
  return { handle, places };
}

/**
 * A picture to draw into.
 * @typedef {{frame: WebGLFramebuffer, colour: WebGLTexture | null, depth: WebGLTexture | null, width: number,
 *   height: number}} Canvas
 */

/**
 * @param {WebGL2RenderingContext} gl @param {number} width @param {number} height
 * @param {number | null} format of the colours; null for none @param {'none' | 'depth' | 'shadow'} depth
 * @returns {Canvas}
 */
export function newCanvas(gl, width, height, format, depth) {
  const frame = /** @type {WebGLFramebuffer} */ (gl.createFramebuffer());
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  const attached = (/** @type {number} */ stored, /** @type {number} */ place) => {
    const texture = /** @type {WebGLTexture} */ (gl.createTexture());
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, stored, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, place, gl.TEXTURE_2D, texture, 0);
    return texture;
  };
  const colour = format === null ? null : attached(format, gl.COLOR_ATTACHMENT0);
  const depths = depth === 'none' ? null : attached(gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT);
  if (depth === 'shadow') {
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  }
  return { frame, colour, depth: depths, width, height };
}

/** @param {WebGL2RenderingContext} gl @param {Canvas | null} canvas */
export function dropCanvas(gl, canvas) {
  if (!canvas) return;
  gl.deleteFramebuffer(canvas.frame);
  gl.deleteTexture(canvas.colour);
  gl.deleteTexture(canvas.depth);
}
