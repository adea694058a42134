// Drawing of a frame. While something changes, one picture is drawn. At rest, pictures with other
// lamps and shifted pixels are averaged: soft shadows, ambient occlusion and smooth edges.

import { LEVELS, MESH, templateOf, tubeTemplate } from './forms.js';
import { Instances, INSTANCE_BYTES } from './frame.js';
import { Programs, dropCanvas, newCanvas } from './graphics.js';
import { TUBE_BYTES } from './lines.js';
import { add, norm, orthographic, product, scaled, subtract, tangents, unit, viewMatrix } from './vectors.js';
import { planesOf, surfacesOf } from './walls.js';

/** @typedef {import('./vectors.js').Vec} Vec */

/** Programs by form. */
const BODY_PROGRAMS = /** @type {const} */ (['superquadric', 'prism', 'tablet', 'mesh']);
const PICK_PROGRAMS = /** @type {const} */ (['pickSuperquadric', 'pickPrism', 'pickTablet', 'pickMesh']);
const DEPTH_PROGRAMS = /** @type {const} */ (['depthSuperquadric', 'depthPrism', 'depthTablet', 'depthMesh']);

/** Side of a shadow map, pixels. */
const SHADOW = 2048;
const SOFTWARE_SHADOW = 1024;

/** Radius of the sun, rad: the softness of its shadows. */
const SUN_RADIUS = 0.07;

/** Colours of walls, linear, on a light and on a dark ground. */
export const LIGHT_WALLS = [0.6, 0.62, 0.66];
export const DARK_WALLS = [0.16, 0.17, 0.19];

/** Returns a number of a low-discrepancy sequence. @param {number} index @param {number} base */
function halton(index, base) {
  let [result, part] = [0, 1];
  for (let k = index; k > 0; k = Math.floor(k / base)) {
    part /= base;
    result += part * (k % base);
  }
  return result;
}

export class Renderer {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error('This browser has no WebGL 2, which the viewer needs.');
    this.gl = gl;
    this.canvas = canvas;
    this.programs = new Programs(gl);
    const information = gl.getExtension('WEBGL_debug_renderer_info');
    const name = information ? String(gl.getParameter(information.UNMASKED_RENDERER_WEBGL)) : '';
    this.isSoftware = /swiftshader|llvmpipe|software|basic render/i.test(name);
    this.canAverage = !!gl.getExtension('EXT_color_buffer_float');
    /** @type {Map<number, {array: WebGLVertexArrayObject, indices: number}>} */
    this.templates = new Map();
    this.instances = new Instances();
    this.instanceBuffer = gl.createBuffer();
    this.meshArray = gl.createVertexArray();
    this.meshTexture = gl.createTexture();
    this.wallArray = gl.createVertexArray();
    this.wallBuffer = gl.createBuffer();
    this.planeArray = gl.createVertexArray();
    this.planeBuffer = gl.createBuffer();
    this.planeVertices = 0;
    /** @type {import('./walls.js').Wall[]} */
    this.walls = [];
    this.tubeBuffer = gl.createBuffer();
    this.tubes = 0;
    this.emptyArray = gl.createVertexArray();
    const side = this.isSoftware ? SOFTWARE_SHADOW : SHADOW;
    this.shadows = newCanvas(gl, side, side, null, 'shadow');
    /** @type {import('./graphics.js').Canvas | null} */
    this.picture = null;
    /** @type {(import('./graphics.js').Canvas | null)[]} */
    this.averages = [null, null];
    this.samples = 0;
    this.pickCanvas = newCanvas(gl, 1, 1, gl.RGBA8, 'depth');
    /** Bounds of all grains. @type {{low: Vec, high: Vec}} */
    this.bounds = { low: [-1, -1, -1], high: [1, 1, 1] };
    this.statistics = { triangles: 0, calls: 0 };
    this.clearColour = [1, 1, 1];
    this.wallColour = LIGHT_WALLS;
    /** Factor of the size of grains, so that forces between them are seen. */
    this.grow = 1;
    this.setUpTubes();
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    if (this.picture && this.picture.width === width && this.picture.height === height) return;
    const gl = this.gl;
    this.canvas.width = width;
    this.canvas.height = height;
    for (const old of [this.picture, ...this.averages]) dropCanvas(gl, old);
    this.picture = newCanvas(gl, width, height, gl.RGBA8, 'depth');
    this.averages = this.canAverage ? [0, 1].map(() => newCanvas(gl, width, height, gl.RGBA32F, 'none')) : [null, null];
    this.samples = 0;
  }

  /** Sets the meshes of all shapes. @param {import('./frame.js').Shapes} shapes */
  setShapes(shapes) {
    const gl = this.gl;
    this.shapes = shapes;
    const { vertex, normal } = shapes.arrays;
    const count = vertex.length / 3;
    const width = Math.min(2048, gl.getParameter(gl.MAX_TEXTURE_SIZE));
    const height = Math.max(1, Math.ceil(count / width));
    const texels = new Float32Array(4 * width * height);
    for (let k = 0; k < count; k++) {
      for (let c = 0; c < 3; c++) texels[4 * k + c] = vertex[3 * k + c];
      texels[4 * k + 3] = normal[3 * k] + 127 + 256 * (normal[3 * k + 1] + 127) + 65536 * (normal[3 * k + 2] + 127);
    }
    gl.deleteTexture(this.meshTexture);
    this.meshTexture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.meshTexture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, width, height);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.FLOAT, texels);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    // Walls are drawn from a buffer, because each of them has its own call.
    const bytes = new ArrayBuffer(16 * count);
    const floats = new Float32Array(bytes);
    const signed = new Int8Array(bytes);
    for (let k = 0; k < count; k++) {
      for (let c = 0; c < 3; c++) {
        floats[4 * k + c] = vertex[3 * k + c];
        signed[16 * k + 12 + c] = normal[3 * k + c];
      }
    }
    gl.bindVertexArray(this.wallArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.wallBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 16, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.BYTE, true, 16, 12);
    gl.bindVertexArray(null);
  }

  /** Sets the walls of a frame. @param {import('./frame.js').Frame} frame @param {import('./walls.js').Room} room */
  setWalls(frame, room) {
    if (!this.shapes) return;
    const gl = this.gl;
    this.walls = surfacesOf(frame, this.shapes);
    const planes = planesOf(frame, this.shapes, room);
    this.planeVertices = planes.length / 6;
    gl.bindVertexArray(this.planeArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.planeBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, planes, gl.DYNAMIC_DRAW);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, 12 * place);
    }
    gl.bindVertexArray(null);
  }

  /**
   * Sets the bodies to draw.
   * @param {import('./frame.js').Frame} frame @param {Uint32Array} colours @param {Uint8Array | null} visible
   * @param {import('./camera.js').Camera} camera @param {number} coarser
   */
  setBodies(frame, colours, visible, camera, coarser) {
    if (!this.shapes) return;
    const gl = this.gl;
    this.instances.fill(frame, this.shapes, colours, visible, camera, coarser);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instanceBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(this.instances.buffer, 0, this.instances.total * INSTANCE_BYTES), gl.DYNAMIC_DRAW);
  }

  /** @param {{data: Uint8Array, count: number}} tubes */
  setTubes({ data, count }) {
    const gl = this.gl;
    this.tubes = count;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.tubeBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  setUpTubes() {
    const gl = this.gl;
    const { vertices, indices } = tubeTemplate();
    this.tubeArray = gl.createVertexArray();
    this.tubeIndices = indices.length;
    gl.bindVertexArray(this.tubeArray);
    this.putTemplate(vertices, indices);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.tubeBuffer);
    [[1, 3, gl.FLOAT, 0], [2, 3, gl.FLOAT, 12], [3, 1, gl.FLOAT, 24], [4, 4, gl.UNSIGNED_BYTE, 28]].forEach(([place, size, type, offset]) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, type, type === gl.UNSIGNED_BYTE, TUBE_BYTES, offset);
      gl.vertexAttribDivisor(place, 1);
    });
    gl.bindVertexArray(null);
  }

  /** Stores a template in the present vertex array. @param {Float32Array} vertices @param {Uint16Array} indices */
  putTemplate(vertices, indices) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  }

  /** @param {number} form @param {number} level */
  template(form, level) {
    const gl = this.gl;
    const key = form * LEVELS + level;
    let made = this.templates.get(key);
    if (!made) {
      const { vertices, indices } = templateOf(form, level);
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      this.putTemplate(vertices, indices);
      made = { array, indices: indices.length };
      this.templates.set(key, made);
    }
    return made;
  }

  /** Points the attributes of the present vertex array to the instances of a batch. @param {number} first */
  pointAt(first) {
    const gl = this.gl;
    const start = first * INSTANCE_BYTES;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instanceBuffer);
    const put = (/** @type {number} */ place, /** @type {number} */ size, /** @type {number} */ type, /** @type {number} */ offset) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, type, type !== gl.FLOAT, INSTANCE_BYTES, start + offset);
      gl.vertexAttribDivisor(place, 1);
    };
    put(1, 3, gl.FLOAT, 0);
    put(2, 4, gl.SHORT, 12);
    put(3, 3, gl.FLOAT, 20);
    put(4, 2, gl.FLOAT, 32);
    put(5, 4, gl.UNSIGNED_BYTE, 40);
    gl.enableVertexAttribArray(6);
    gl.vertexAttribIPointer(6, 1, gl.UNSIGNED_INT, INSTANCE_BYTES, start + 44);
    gl.vertexAttribDivisor(6, 1);
  }

  /**
   * Draws all bodies with the programs of a pass.
   * @param {readonly (keyof typeof import('./shaders.js').PROGRAMS)[]} names
   * @param {(program: import('./graphics.js').Program) => void} set uniforms
   * @param {number} coarser levels
   */
  drawBodies(names, set, coarser = 0) {
    const gl = this.gl;
    for (const { form, level, first, count, vertices } of this.instances.batches) {
      const program = this.programs.use(names[form]);
      set(program);
      gl.uniform1f(program.places.grow, this.grow);
      if (form === MESH) {
        gl.activeTexture(gl.TEXTURE1);
        gl.bindTexture(gl.TEXTURE_2D, this.meshTexture);
        gl.uniform1i(program.places.meshes, 1);
        gl.bindVertexArray(this.meshArray);
        this.pointAt(first);
        gl.vertexAttrib4f(0, 0, 0, 0, 0);
        gl.drawArraysInstanced(gl.TRIANGLES, 0, vertices, count);
        this.count((vertices / 3) * count);
      } else {
        const { array, indices } = this.template(form, Math.max(0, level - coarser));
        gl.bindVertexArray(array);
        this.pointAt(first);
        gl.drawElementsInstanced(gl.TRIANGLES, indices, gl.UNSIGNED_SHORT, 0, count);
        this.count((indices / 3) * count);
      }
    }
    gl.bindVertexArray(null);
  }

  /** @param {number} triangles */
  count(triangles) {
    this.statistics.triangles += triangles;
    this.statistics.calls += 1;
  }

  /** Draws the shadows of a lamp and returns its matrix. @param {Vec} lamp @param {number[]} cut */
  drawShadows(lamp, cut) {
    const gl = this.gl;
    const { low, high } = this.bounds;
    const middle = scaled(0.5, add(low, high));
    const reach = norm(subtract(high, middle)) || 1;
    const [t, u] = tangents(lamp);
    const toLamp = product(orthographic(reach, reach, -reach, reach), viewMatrix(t, u, lamp, middle));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadows.frame);
    gl.viewport(0, 0, this.shadows.width, this.shadows.height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    this.drawBodies(DEPTH_PROGRAMS, ({ places }) => {
      gl.uniformMatrix4fv(places.toScreen, false, toLamp);
      gl.uniform4fv(places.cut, cut);
    }, 1);
    return toLamp;
  }

  /**
   * Draws one picture.
   * @param {import('./camera.js').Camera} camera @param {Scene} scene
   * @param {number | null} sample number of the sample; null for a picture that is shown at once
   */
  draw(camera, scene, sample) {
    const gl = this.gl;
    const picture = this.picture;
    if (!picture) return;
    const cut = scene.cut;
    const [right, , back] = camera.axes();
    // The sun is high, to the left of the eye and behind it; the sky leans towards the eye.
    const sun = unit(add([0, 0, 1], add(scaled(-0.55, right), scaled(0.75, back))));
    const zenith = unit(add([0, 0, 1], scaled(0.35, back)));
    let lighting = 0;
    let lamp = sun;
    if (sample !== null) {
      const [x, y] = [halton(sample + 1, 2), halton(sample + 1, 3)];
      if (sample % 2 === 0) {
        lighting = 2;
        const [t, u] = tangents(sun);
        const r = SUN_RADIUS * Math.sqrt(halton(sample / 2 + 1, 5));
        lamp = unit(add(sun, add(scaled(r * Math.cos(2 * Math.PI * x), t), scaled(r * Math.sin(2 * Math.PI * x), u))));
      } else {
        lighting = 3;
        const [t, u] = tangents(zenith);
        const height = y;
        const r = Math.sqrt(1 - height * height);
        lamp = unit(add(scaled(height, zenith), add(scaled(r * Math.cos(2 * Math.PI * x), t), scaled(r * Math.sin(2 * Math.PI * x), u))));
      }
    } else if (scene.shadows) {
      lighting = 1;
    }
    const toLamp = lighting > 0 ? this.drawShadows(lamp, cut) : new Array(16).fill(0);
    this.statistics = { triangles: 0, calls: 0 };
    const shift = /** @type {[number, number]} */ (sample === null ? [0, 0] : [halton(sample + 1, 2) - 0.5, halton(sample + 1, 3) - 0.5]);
    const toScreen = camera.matrix(shift);
    gl.bindFramebuffer(gl.FRAMEBUFFER, picture.frame);
    gl.viewport(0, 0, picture.width, picture.height);
    gl.clearColor(this.clearColour[0], this.clearColour[1], this.clearColour[2], 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    const isCut = cut[0] !== 0 || cut[1] !== 0 || cut[2] !== 0;
    const light = (/** @type {import('./graphics.js').Program} */ { places }) => {
      gl.uniformMatrix4fv(places.toScreen, false, toScreen);
      gl.uniform3fv(places.sun, sun);
      gl.uniform3fv(places.zenith, zenith);
      gl.uniform3fv(places.lamp, lamp);
      gl.uniform1i(places.lighting, lighting);
      gl.uniformMatrix4fv(places.toLamp, false, toLamp);
      gl.uniform4fv(places.cut, cut);
      gl.uniform1ui(places.chosen, scene.chosen + 1);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, this.shadows.depth);
      gl.uniform1i(places.shadows, 0);
    };
    if (isCut || (this.shapes && this.shapes.isPlanar)) gl.disable(gl.CULL_FACE);
    else gl.enable(gl.CULL_FACE);
    this.drawBodies(BODY_PROGRAMS, light);
    gl.disable(gl.CULL_FACE);
    if (this.tubes > 0) {
      const program = this.programs.use('tube');
      light(program);
      gl.uniform1f(program.places.thickness, 1);
      gl.bindVertexArray(/** @type {WebGLVertexArrayObject} */ (this.tubeArray));
      gl.drawElementsInstanced(gl.TRIANGLES, this.tubeIndices || 0, gl.UNSIGNED_SHORT, 0, this.tubes);
      this.count(((this.tubeIndices || 0) / 3) * this.tubes);
    }
    if (scene.walls) this.drawWalls(camera, light, scene);
    gl.bindVertexArray(null);
  }

  /** @param {import('./camera.js').Camera} camera @param {(program: any) => void} light @param {Scene} scene */
  drawWalls(camera, light, scene) {
    const gl = this.gl;
    const program = this.programs.use('wall');
    light(program);
    const { places } = program;
    const { low, high } = this.bounds;
    gl.uniform4fv(places.eye, camera.seenFrom());
    gl.uniform3fv(places.middle, scaled(0.5, add(low, high)));
    gl.uniform1f(places.opacity, scene.glass);
    gl.uniform3fv(places.albedo, this.wallColour);
    for (const glass of [false, true]) {
      if (glass && scene.glass === 0) break;
      gl.uniform1i(places.drawGlass, glass ? 1 : 0);
      if (glass) {
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.depthMask(false);
      }
      gl.uniform3fv(places.place, [0, 0, 0]);
      gl.uniform4fv(places.turn, [0, 0, 0, 1]);
      gl.uniform1i(places.twoSided, 0);
      gl.bindVertexArray(this.planeArray);
      if (this.planeVertices > 0) {
        gl.drawArrays(gl.TRIANGLES, 0, this.planeVertices);
        this.count(this.planeVertices / 3);
      }
      gl.bindVertexArray(this.wallArray);
      for (const wall of this.walls) {
        gl.uniform3fv(places.place, wall.place);
        gl.uniform4fv(places.turn, wall.turn);
        gl.uniform1i(places.twoSided, wall.twoSided ? 1 : 0);
        gl.drawArrays(gl.TRIANGLES, wall.first, wall.count);
        this.count(wall.count / 3);
      }
    }
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  /** Shows the last picture, or the average. @param {boolean} isAverage */
  show(isAverage) {
    const gl = this.gl;
    const shown = isAverage ? this.averages[this.samples % 2] : this.picture;
    if (!shown) return;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    const { places } = this.programs.use('show');
    this.bindPicture(0, shown.colour);
    gl.uniform1i(places.sampled, 0);
    gl.uniform1i(places.isAverage, isAverage ? 1 : 0);
    this.fill();
  }

  /** Adds the last picture to the average. */
  addSample() {
    const gl = this.gl;
    const [from, to] = [this.averages[this.samples % 2], this.averages[(this.samples + 1) % 2]];
    if (!from || !to || !this.picture) return;
    gl.bindFramebuffer(gl.FRAMEBUFFER, to.frame);
    gl.viewport(0, 0, to.width, to.height);
    const { places } = this.programs.use('average');
    this.bindPicture(0, this.picture.colour);
    this.bindPicture(1, from.colour);
    gl.uniform1i(places.sampled, 0);
    gl.uniform1i(places.average, 1);
    gl.uniform1f(places.part, 1 / (this.samples + 1));
    this.fill();
    this.samples += 1;
  }

  /** @param {number} slot @param {WebGLTexture | null} texture */
  bindPicture(slot, texture) {
    this.gl.activeTexture(this.gl.TEXTURE0 + slot);
    this.gl.bindTexture(this.gl.TEXTURE_2D, texture);
  }

  fill() {
    const gl = this.gl;
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(this.emptyArray);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindVertexArray(null);
  }

  /**
   * Returns the index of the body at a pixel, or -1.
   * @param {import('./camera.js').Camera} camera @param {number[]} cut @param {number} x @param {number} y from the top
   */
  pick(camera, cut, x, y) {
    const gl = this.gl;
    // Enlarge the pixel to the whole of a picture of one pixel.
    const [sx, sy] = [camera.width, camera.height];
    const [cx, cy] = [(2 * (x + 0.5)) / sx - 1, 1 - (2 * (y + 0.5)) / sy];
    const enlarged = [sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, 1, 0, -cx * sx, -cy * sy, 0, 1];
    const toScreen = product(enlarged, camera.matrix());
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickCanvas.frame);
    gl.viewport(0, 0, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    this.drawBodies(PICK_PROGRAMS, ({ places }) => {
      gl.uniformMatrix4fv(places.toScreen, false, toScreen);
      gl.uniform4fv(places.cut, cut);
    });
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] + 16777216 * pixel[3] - 1;
  }
}

/**
 * What is drawn besides the bodies. `cut` removes what lies beyond a plane; `glass` is the opacity of
 * walls between the eye and the grains.
 * @typedef {{cut: number[], chosen: number, shadows: boolean, walls: boolean, glass: number}} Scene
 */
