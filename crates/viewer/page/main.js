// The application: it connects data, picture, panel and timeline.

import { Camera, VIEWS } from './camera.js';
import { bodyColours, drawLegend, rangeOf, shortNumber } from './colours.js';
import { button, checkbox, choice, element, line, listenToPointers, numberField, section, slider } from './controls.js';
import { INSTANCED } from './forms.js';
import { Frame, Shapes } from './frame.js';
import { tubesOf } from './lines.js';
import { optionsFromLink, optionsToLink } from './options.js';
import { Plot } from './plot.js';
import { DARK_WALLS, LIGHT_WALLS, Renderer } from './renderer.js';
import { Film, joinedPicture, offerFile, pngOf } from './saving.js';
import { openSource } from './source.js';
import { add, subtract } from './vectors.js';

/** @typedef {import('./vectors.js').Vec} Vec */

/** Frames per second at the speed 1. */
const RATE = 25;

/** Time without a change after which the average begins, ms. */
const REST = 180;

/** Number of pictures of an average, with and without a graphics card. */
const SAMPLES = 96;
const SOFTWARE_SAMPLES = 32;

/** Longest time of an average, ms. */
const LONGEST_AVERAGE = 15000;

/** Change of the distance of the camera after which levels of detail are chosen again. */
const LEVEL_CHANGE = 1.15;

/** Numbers of bodies from which a moving picture is coarser, with and without a graphics card. */
const MANY = 50000;
const MANY_IN_SOFTWARE = 3000;

/** Time between two questions for new frames, ms. */
const POLL = 2000;

/** Number of frames in one question about a track. */
const TRACK_PART = 100;

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

const KEYS = [
  ['Space', 'play, pause'],
  ['← →', 'one frame back, forward'],
  ['Home End', 'first, last frame'],
  ['1 … 7', 'front, right, back, left, top, bottom, isometric'],
  ['F', 'show the grains'],
  ['0', 'show the whole room'],
  ['O', 'perspective, orthographic'],
  ['C', 'contact forces'],
  ['W', 'walls'],
  ['P', 'save a picture'],
  ['T', 'light, dark'],
  ['Esc', 'choose no grain'],
  ['drag', 'turn; with Shift or the right button: shift'],
  ['wheel', 'zoom'],
  ['click', 'choose a grain; twice: centre it'],
  ['?', 'this help'],
];

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

class App {
  constructor() {
    this.source = openSource();
    this.options = optionsFromLink(location.hash);
    this.camera = new Camera();
    this.camera.isOrthographic = this.options.orthographic;
    this.renderer = new Renderer(byId('picture'));
    this.renderer.grow = this.options.grow;
    this.plot = new Plot(byId('plot'), (time) => this.showTime(time));
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {Shapes | null} */
    this.shapes = null;
    /** Number of the frame that is shown; null in a live view. @type {number | null} */
    this.number = null;
    this.isLive = false;
    this.isPaused = false;
    this.isOver = false;
    /** Range of the colours seen so far. @type {[number, number] | null} */
    this.seen = null;
    /** @type {Uint8Array | null} */
    this.visible = null;
    /** @type {Uint32Array} */
    this.colours = new Uint32Array(0);
    /** @type {Float32Array | null} */
    this.track = null;
    this.bodiesChanged = true;
    this.changed = true;
    this.lastChange = 0;
    this.averageBegan = 0;
    this.filledAt = 0;
    this.coarser = 0;
    this.isPlaying = false;
    this.asked = 0;
    /** @type {Film | null} */
    this.film = null;
    /** Time of the first picture since the page was opened, ms. */
    this.firstPicture = 0;
    this.pictures = 0;
    /** @type {any} */
    this.details = null;
  }

  async start() {
    this.applyTheme();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.applyTheme());
    this.run = await this.source.run();
    document.title = `granum: ${this.run.name}`;
    const opens = this.run.live && this.options.frame === null;
    this.buildPanel();
    this.buildTimeline();
    this.listen();
    requestAnimationFrame((now) => this.tick(now));
    if (opens) {
      this.goLive();
    } else if (this.run.frames.length > 0) {
      const { frame } = this.options;
      const known = this.run.frames.some((/** @type {number[]} */ [number]) => number === frame);
      await this.show(known && frame !== null ? frame : this.run.frames[this.run.frames.length - 1][0]);
    } else {
      this.complain(this.run.damaged.length ? '' : 'The run has no frames yet.');
    }
    this.reportDamage();
    this.renewTable();
    setInterval(() => this.poll(), POLL);
  }

  reportDamage() {
    const { damaged } = this.run;
    if (damaged.length) this.complain(`${damaged.map((/** @type {any} */ one) => one.message).join('\n')}\nThe frame is left out.`);
  }

  /** Shows a message; an empty one removes it. @param {string} text */
  complain(text) {
    const banner = byId('message');
    banner.textContent = text;
    banner.hidden = !text;
    if (text) byId('waiting').hidden = true;
  }

  // --- Data -------------------------------------------------------------------------------------

  /** What the present options need from the source. */
  wanted() {
    const names = [this.options.colour, this.options.filter.quantity];
    const asked = names.filter((name) => name && this.quantity(name)?.asked);
    return { quantities: /** @type {string[]} */ ([...new Set(asked)]), contacts: this.options.forces.on };
  }

  /** @param {string | null} name */
  quantity(name) {
    return this.run.quantities.find((/** @type {any} */ one) => one.name === name);
  }

  /** Shows a frame. Later questions overtake earlier ones. @param {number} number */
  async show(number) {
    this.isLive = false;
    const asked = ++this.asked;
    try {
      const [message] = await Promise.all([
        this.source.frame(number, this.wanted()),
        this.shapes ? null : this.source.shapes(number).then((shapes) => this.takeShapes(new Shapes(shapes))),
      ]);
      if (asked !== this.asked) return;
      if (!this.shapes || message.head.shapes > this.shapes.count) this.takeShapes(new Shapes(await this.source.shapes(number)));
      this.number = number;
      this.options.frame = number === this.run.frames[this.run.frames.length - 1][0] ? null : number;
      this.take(new Frame(message));
      if (!this.run.damaged.length) this.complain('');
    } catch (error) {
      if (asked === this.asked) this.fail(error);
    }
  }

  /** @param {unknown} error */
  fail(error) {
    this.isPlaying = false;
    this.updateTimeline();
    this.complain(error instanceof Error ? error.message : String(error));
  }

  /** @param {Shapes} shapes */
  takeShapes(shapes) {
    this.shapes = shapes;
    this.renderer.setShapes(shapes);
    this.camera.isPlanar = shapes.isPlanar;
  }

  /** @param {Frame} frame */
  take(frame) {
    if (!this.shapes) return;
    const isFirst = !this.frame;
    this.frame = frame;
    const box = frame.bounds(this.shapes);
    this.renderer.bounds = /** @type {any} */ (box);
    const room = this.room();
    this.renderer.setWalls(frame, room);
    const all = [0, 1, 2].map((k) => [Math.min(room.low[k], box.low[k]), Math.max(room.high[k], box.high[k])]);
    this.camera.contain([all[0][0], all[1][0], all[2][0]], [all[0][1], all[1][1], all[2][1]]);
    if (isFirst) {
      this.fillKinds();
      this.measure();
      if (this.shapes.isPlanar) {
        this.camera.look('top');
        this.camera.isOrthographic = true;
      }
      this.placeCamera();
    }
    if (this.options.follow) this.centreOn(this.options.grain);
    this.recolour();
    this.updateTubes();
    this.updateTimeline();
    this.updateDetails();
    byId('waiting').hidden = true;
  }

  placeCamera() {
    const saved = this.options.camera;
    if (saved && saved.length === 6 && saved.every(Number.isFinite)) {
      this.camera.target = /** @type {Vec} */ (subtract(/** @type {any} */ (saved), this.run.origin));
      [this.camera.distance, this.camera.azimuth, this.camera.elevation] = saved.slice(3);
    } else {
      this.fitGrains();
    }
  }

  /** The box in which walls are drawn, relative to the origin. @returns {import('./walls.js').Room} */
  room() {
    if (this.run.room) return { low: subtract(this.run.room[0], this.run.origin), high: subtract(this.run.room[1], this.run.origin) };
    return /** @type {any} */ (this.renderer.bounds);
  }

  /** Values of a quantity in the present frame, or null. @param {string | null} name */
  values(name) {
    if (!this.frame || !this.shapes || !name || name === 'none') return null;
    return this.frame.values(name, this.shapes, this.run.origin);
  }

  /** Asks for quantities or contacts of the present frame that are missing. */
  async complete() {
    const { frame, number } = this;
    if (!frame || this.isLive || number === null) return;
    const { quantities, contacts } = this.wanted();
    const missing = { quantities: quantities.filter((name) => !frame.quantities.has(name)), contacts: contacts && !frame.contacts };
    if (missing.quantities.length === 0 && !missing.contacts) return;
    try {
      const message = await this.source.frame(number, missing);
      frame.take(message.arrays);
      if (frame === this.frame) {
        this.recolour();
        this.updateTubes();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** Computes colours and visible bodies. */
  recolour() {
    const { frame, shapes, options, run } = this;
    if (!frame || !shapes) return;
    const quantity = this.quantity(options.colour) || run.quantities[0];
    const values = this.values(options.colour);
    if (values && !quantity.category) {
      const [low, high] = rangeOf(values, frame.fixed);
      const seen = this.seen || [quantity.magnitude ? 0 : low, high];
      this.seen = [Math.min(seen[0], low), Math.max(seen[1], high)];
    }
    this.range = options.range || this.seen || [0, 1];
    this.colours = bodyColours(values, frame.fixed, quantity, run.maps[options.map], run.categories, this.categories(), this.range);
    this.visible = this.visibleBodies();
    this.bodiesChanged = true;
    this.touch();
  }

  /** The categories of the quantity of the colours, in the order of their colours. */
  categories() {
    const { shapes, options, run } = this;
    if (!shapes || options.colour !== 'kind') return Array.from(run.materials || [], (_, k) => k);
    const { kind, form } = shapes.arrays;
    const kinds = new Set(Array.from(kind).filter((_, s) => INSTANCED.includes(form[s])));
    return [...kinds].sort((a, b) => a - b);
  }

  /** Returns which bodies the filters leave, or null for all. */
  visibleBodies() {
    const { frame, shapes, options, run } = this;
    if (!frame || !shapes) return null;
    const { quantity, range, kinds, region } = options.filter;
    const values = quantity && (range[0] !== null || range[1] !== null) ? this.values(quantity) : null;
    const hasRegion = region.some((side) => side !== null);
    if (!values && kinds.length === 0 && !hasRegion && options.grains) return null;
    const visible = new Uint8Array(frame.count);
    const hidden = new Set(kinds);
    for (let k = 0; k < frame.count; k++) {
      if (frame.fixed[k]) {
        visible[k] = 1;
        continue;
      }
      if (!options.grains || hidden.has(run.kinds[shapes.arrays.kind[frame.shape[k]]])) continue;
      if (values && ((range[0] !== null && !(values[k] >= range[0])) || (range[1] !== null && !(values[k] <= range[1])))) continue;
      let isInside = true;
      for (let axis = 0; axis < 3 && hasRegion; axis++) {
        const x = frame.position[3 * k + axis] + run.origin[axis];
        const [low, high] = [region[2 * axis], region[2 * axis + 1]];
        isInside = isInside && !(low !== null && x < low) && !(high !== null && x > high);
      }
      visible[k] = isInside ? 1 : 0;
    }
    return visible;
  }

  updateTubes() {
    const { frame, shapes } = this;
    if (!frame || !shapes) return;
    const tubes = tubesOf(frame, shapes, this.options.forces, this.visible, this.options.track ? this.track : null);
    this.tubeCount = tubes.count;
    this.renderer.setTubes(tubes);
    this.touch();
  }

  async renewTable() {
    try {
      const { arrays } = await this.source.energies();
      this.plot.setTable(arrays);
    } catch {
      // A run that has just begun has no table.
    }
  }

  /** Looks for new frames of a run in progress. */
  async poll() {
    if (this.source.isEmbedded || document.hidden) return;
    try {
      const news = await this.source.run(this.run.version);
      if (!news) return;
      const { frames } = this.run;
      const wasLast = frames.length === 0 || this.number === frames[frames.length - 1][0];
      this.run = { ...news, origin: this.run.origin, room: this.isLive ? this.run.room : news.room || this.run.room };
      this.updateTimeline();
      this.reportDamage();
      this.renewTable();
      if (wasLast && !this.isLive && !this.isPlaying && news.frames.length) this.show(news.frames[news.frames.length - 1][0]);
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
    }
  }

  // --- Live view --------------------------------------------------------------------------------

  async goLive() {
    if (this.isLive) return;
    this.isLive = true;
    this.isPlaying = false;
    this.asked++;
    this.number = null;
    this.options.frame = null;
    /** @type {number | undefined} */
    let after;
    while (this.isLive) {
      try {
        const wanted = this.wanted();
        /** @type {import('./message.js').Message} */
        const message = await this.source.live(after, wanted);
        if (!this.isLive) return;
        this.isPaused = message.head.paused;
        this.isOver = message.head.over;
        if (!message.head.unchanged) {
          if (!this.shapes || message.head.shapes > this.shapes.count) this.takeShapes(new Shapes(await this.source.shapes('live')));
          this.take(new Frame(message));
          this.extendTrack();
        }
        after = message.head.step;
        this.updateTimeline();
        if (JSON.stringify(wanted) !== JSON.stringify(this.wanted())) after = undefined;
        if (this.isOver) await new Promise((resolve) => setTimeout(resolve, 500));
        // The next state is asked for when this one is on the screen.
        else await new Promise((resolve) => requestAnimationFrame(resolve));
      } catch (error) {
        this.isLive = false;
        this.fail(error);
        this.updateTimeline();
      }
    }
  }

  /** @param {string} name */
  async order(name) {
    try {
      await this.source.order(name);
    } catch (error) {
      this.fail(error);
    }
  }

  extendTrack() {
    const { frame } = this;
    if (!this.options.track || !frame || this.options.grain === null) return;
    const index = frame.indexOf(this.options.grain);
    if (index < 0) return;
    this.track = new Float32Array([...(this.track || []), ...frame.placeOf(index)]);
    this.updateTubes();
  }

  // --- Picture ----------------------------------------------------------------------------------

  /** Demands a new picture. */
  touch() {
    this.changed = true;
  }

  /** The clipping plane, relative to the origin. */
  cut() {
    const { axis, place } = this.options.cut;
    if (axis === 'none') return [0, 0, 0, 1e30];
    const k = 'xyz'.indexOf(axis[axis.length - 1]);
    const sign = axis[0] === '-' ? -1 : 1;
    const { low, high } = this.room();
    const normal = [0, 0, 0];
    normal[k] = sign;
    return [...normal, sign * (low[k] + place * (high[k] - low[k]))];
  }

  scene() {
    const { options, frame, renderer } = this;
    const chosen = frame && options.grain !== null ? frame.indexOf(options.grain) : -1;
    return { cut: this.cut(), chosen, shadows: options.soft && !renderer.isSoftware, walls: options.walls, glass: options.glass };
  }

  /** Sets the size of the picture. Returns whether it has changed. @param {number} [factor] */
  measure(factor) {
    const canvas = this.renderer.canvas;
    const ratio = factor || (this.renderer.isSoftware ? 1 : Math.min(2, window.devicePixelRatio || 1));
    const [width, height] = [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.max(1, Math.round(canvas.clientHeight * ratio))];
    const isNew = width !== this.camera.width || height !== this.camera.height;
    this.camera.width = width;
    this.camera.height = height;
    this.renderer.resize(width, height);
    return isNew;
  }

  /** Number of levels by which a moving picture is coarser. */
  coarserLevels() {
    const count = this.frame ? this.frame.count : 0;
    if (this.renderer.isSoftware) return count > MANY_IN_SOFTWARE ? 2 : 1;
    return count > MANY ? 1 : 0;
  }

  /** Chooses levels of detail and sends the bodies. @param {number} coarser */
  sendBodies(coarser) {
    if (!this.frame) return;
    this.renderer.setBodies(this.frame, this.colours, this.visible, this.camera, coarser);
    this.bodiesChanged = false;
    this.coarser = coarser;
    this.filledAt = this.camera.distance;
  }

  /** @param {number} now */
  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    if (!this.film && this.measure()) this.touch();
    if (!this.frame) return;
    this.play(now);
    const { renderer, camera } = this;
    if (this.changed) {
      this.changed = false;
      this.lastChange = now;
      const ratio = camera.distance / this.filledAt;
      const coarser = this.coarserLevels();
      if (this.bodiesChanged || coarser !== this.coarser || ratio > LEVEL_CHANGE || ratio < 1 / LEVEL_CHANGE) this.sendBodies(coarser);
      renderer.samples = 0;
      this.averageBegan = 0;
      renderer.draw(camera, this.scene(), null);
      renderer.show(false);
      this.drawLayer();
      this.pictures += 1;
      if (!this.firstPicture) {
        renderer.gl.readPixels(0, 0, 1, 1, renderer.gl.RGBA, renderer.gl.UNSIGNED_BYTE, new Uint8Array(4));
        this.firstPicture = performance.now();
      }
      this.saveLinkSoon();
      return;
    }
    const isBusy = this.isPlaying || (this.isLive && !this.isPaused && !this.isOver);
    if (this.options.soft && !isBusy && now - this.lastChange > REST) this.improve(now);
  }

  /** Number of pictures of an average. */
  sampleLimit() {
    return this.renderer.isSoftware ? SOFTWARE_SAMPLES : SAMPLES;
  }

  /** Adds a picture to the average. @param {number} now */
  improve(now) {
    const { renderer } = this;
    if (!renderer.canAverage || renderer.samples >= this.sampleLimit()) return;
    if (renderer.samples === 0) {
      if (this.coarser !== 0) this.sendBodies(0);
      this.averageBegan = now;
    }
    // Pairs of sun and sky are completed, so that the brightness does not change.
    if (now - this.averageBegan > LONGEST_AVERAGE && renderer.samples % 2 === 0) return;
    renderer.draw(this.camera, this.scene(), renderer.samples);
    renderer.addSample();
    if (renderer.samples >= 8 && renderer.samples % 2 === 0) renderer.show(true);
  }

  /** Draws legend, time and axes. */
  drawLayer() {
    const canvas = byId('layer');
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    paper.scale(ratio, ratio);
    const ink = getComputedStyle(document.body).color;
    // A halo, so that texts are read on walls and grains.
    paper.shadowColor = getComputedStyle(document.documentElement).getPropertyValue('--ground');
    paper.shadowBlur = 6;
    const { options, run, frame, shapes } = this;
    if (!frame || !shapes) return;
    const quantity = this.quantity(options.colour);
    if (quantity && options.colour !== 'none' && options.grains) {
      let names = null;
      if (quantity.category) {
        const values = this.values(options.colour) || [];
        const present = [...new Set(Array.from(values).filter((_, k) => !frame.fixed[k]))].sort((a, b) => a - b);
        const list = options.colour === 'kind' ? run.kinds : run.materials || [];
        names = present.map((value) => /** @type {[string, number[]]} */ ([list[value] || String(value), run.categories[this.categories().indexOf(value) % run.categories.length]]));
      }
      paper.font = '13px system-ui, sans-serif';
      const tall = Math.min(220, Math.max(80, height - 140));
      const namesWidth = names ? Math.max(...names.map(([name]) => paper.measureText(name).width)) : 0;
      drawLegend(paper, width - Math.max(88, namesWidth + 40), 46, tall, { label: '', map: run.maps[options.map], range: this.range || [0, 1], ink, names });
      paper.textAlign = 'right';
      paper.textBaseline = 'alphabetic';
      paper.fillText(quantity.label, width - 14, 30);
    }
    paper.fillStyle = ink;
    paper.textAlign = 'left';
    paper.textBaseline = 'alphabetic';
    paper.font = '13px system-ui, sans-serif';
    paper.fillText(`t = ${shortNumber(frame.time)} s`, 14, 24);
    this.drawAxes(paper, height, ink);
  }

  /** @param {CanvasRenderingContext2D} paper @param {number} height @param {string} ink */
  drawAxes(paper, height, ink) {
    const [right, up, back] = this.camera.axes();
    const [x, y, size] = [44, height - 44, 28];
    paper.font = '12px system-ui, sans-serif';
    paper.textAlign = 'center';
    paper.textBaseline = 'middle';
    const order = [0, 1, 2].sort((a, b) => back[a] - back[b]);
    for (const k of order) {
      const [dx, dy] = [right[k], -up[k]];
      if (Math.hypot(dx, dy) < 0.05) continue;
      paper.strokeStyle = ['#c33', '#2a2', '#36c'][k];
      paper.lineWidth = 2;
      paper.beginPath();
      paper.moveTo(x, y);
      paper.lineTo(x + size * dx, y + size * dy);
      paper.stroke();
      paper.fillStyle = ink;
      paper.fillText('xyz'[k], x + (size + 9) * dx, y + (size + 9) * dy);
    }
  }

  /** Shows the grains of the present frame. */
  fitGrains() {
    const { low, high } = this.renderer.bounds;
    this.camera.fit(low, high);
    this.options.camera = null;
    this.touch();
  }

  /** Shows the whole room. */
  fit() {
    const { low, high } = this.room();
    this.camera.fit(low, high);
    this.options.camera = null;
    this.touch();
  }

  applyTheme() {
    const { theme } = this.options;
    const isDark = theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    this.renderer.clearColour = isDark ? [0.082, 0.094, 0.114] : [1, 1, 1];
    this.renderer.wallColour = isDark ? DARK_WALLS : LIGHT_WALLS;
    this.plot.draw();
    this.touch();
  }

  // --- Timeline ---------------------------------------------------------------------------------

  /** Index of the present frame in the list. */
  place() {
    return this.run.frames.findIndex((/** @type {number[]} */ [number]) => number === this.number);
  }

  /** @param {number} place in the list of frames */
  showPlace(place) {
    const { frames } = this.run;
    if (!frames.length) return;
    return this.show(frames[Math.max(0, Math.min(frames.length - 1, place))][0]);
  }

  /** Shows the frame nearest to a time. @param {number} time */
  showTime(time) {
    const { frames } = this.run;
    let best = 0;
    frames.forEach((/** @type {number[]} */ frame, /** @type {number} */ k) => {
      if (Math.abs(frame[2] - time) < Math.abs(frames[best][2] - time)) best = k;
    });
    if (best !== this.place()) this.showPlace(best);
  }

  togglePlay() {
    const { frames } = this.run;
    this.isPlaying = !this.isPlaying && frames.length > 1;
    if (this.isPlaying && this.place() >= frames.length - 1) this.showPlace(0);
    this.playedAt = performance.now();
    this.playedFrom = Math.max(0, this.place() >= frames.length - 1 ? 0 : this.place());
    this.isLoading = false;
    this.updateTimeline();
  }

  /** Shows the next frame if it is due. @param {number} now */
  play(now) {
    if (!this.isPlaying || this.isLoading) return;
    const count = this.run.frames.length;
    let place = (this.playedFrom || 0) + Math.floor(((now - (this.playedAt || 0)) / 1000) * RATE * this.options.speed);
    if (this.film) place = Math.min(place, this.place() + 1);
    if (place >= count) {
      if (!this.options.loop || this.film) {
        this.isPlaying = false;
        if (this.film) this.endFilm();
        this.showPlace(count - 1);
        return;
      }
      this.playedAt = now;
      this.playedFrom = 0;
      place = 0;
    }
    if (place === this.place()) return;
    this.isLoading = true;
    Promise.resolve(this.showPlace(place)).finally(() => {
      this.isLoading = false;
    });
  }

  buildTimeline() {
    const bar = byId('timeline');
    const speeds = SPEEDS.map((speed) => /** @type {[string, string]} */ ([String(speed), `${speed}×`]));
    bar.replaceChildren(
      button('first', '|◀', 'first frame', () => this.showPlace(0)),
      button('previous', '◁', 'one frame back', () => this.showPlace(this.place() - 1)),
      button('play', '▶', 'play', () => this.togglePlay()),
      button('next', '▷', 'one frame forward', () => this.showPlace(this.place() + 1)),
      button('last', '▶|', 'last frame', () => this.showPlace(this.run.frames.length - 1)),
      element('input', { type: 'range', id: 'time', min: 0, max: 0, step: 1, 'aria-label': 'frame', oninput: (/** @type {any} */ event) => this.showPlace(Number(event.target.value)) }),
      element('span', { id: 'clock' }),
      choice('speed', speeds, String(this.options.speed), (value) => {
        this.options.speed = Number(value);
        this.playedAt = performance.now();
        this.playedFrom = Math.max(0, this.place());
      }),
      button('loop', 'loop', 'repeat', () => {
        this.options.loop = !this.options.loop;
        this.updateTimeline();
      }),
      button('toggle-plot', 'plot', 'show or hide the plot', () => {
        this.options.plot = !this.options.plot;
        this.updateTimeline();
        this.plot.draw();
      }),
      button('toggle-panel', '☰', 'show or hide the panel', () => document.body.classList.toggle('closed')),
    );
    if (this.run.live) {
      bar.append(
        element('span', { class: 'row', id: 'live' }, [
          button('go-live', 'live', 'show the present state of the run', () => this.goLive()),
          button('pause', 'pause', 'pause or continue the run', () => this.order(this.isPaused ? 'go' : 'pause')),
          button('step', 'step', 'do one step and pause', () => this.order('step')),
          button('stop', 'stop', 'end the run; it can be resumed', () => this.order('stop')),
        ]),
      );
    }
    this.updateTimeline();
  }

  updateTimeline() {
    const { frames } = this.run;
    const bar = byId('time');
    if (!bar) return;
    bar.max = String(Math.max(0, frames.length - 1));
    const place = this.isLive ? frames.length - 1 : this.place();
    bar.value = String(place);
    byId('play').textContent = this.isPlaying ? '❚❚' : '▶';
    byId('play').setAttribute('aria-pressed', String(this.isPlaying));
    byId('loop').setAttribute('aria-pressed', String(this.options.loop));
    byId('plot').classList.toggle('closed', !this.options.plot);
    const time = this.frame ? this.frame.time : 0;
    const state = this.isLive ? (this.isOver ? 'over' : this.isPaused ? 'paused' : 'running') : `frame ${place + 1} of ${frames.length}`;
    byId('clock').textContent = `${time.toFixed(4)} s · ${this.isLive && this.frame ? `step ${this.frame.step} · ` : ''}${state}`;
    if (this.run.live) {
      byId('go-live').setAttribute('aria-pressed', String(this.isLive));
      byId('pause').textContent = this.isPaused ? 'continue' : 'pause';
      for (const id of ['pause', 'step', 'stop']) byId(id).disabled = this.isOver;
    }
    this.plot.setTime(time, Math.max(time, frames.length ? frames[frames.length - 1][2] : 0));
  }

  // --- Panel ------------------------------------------------------------------------------------

  buildPanel() {
    const { options, run } = this;
    const quantities = run.quantities.map((/** @type {any} */ one) => /** @type {[string, string]} */ ([one.name, one.label || 'one colour']));
    const maps = Object.keys(run.maps).map((name) => /** @type {[string, string]} */ ([name, name]));
    const newColours = () => {
      this.recolour();
      this.complete();
    };
    const limits = [0, 1].map((k) =>
      numberField(k ? 'range-high' : 'range-low', options.range ? options.range[k] : null, k ? 'to' : 'from', (value) => {
        const range = /** @type {[number, number]} */ ([...(options.range || this.range || [0, 1])]);
        if (value !== null) range[k] = value;
        options.range = value === null ? null : range;
        newColours();
      }),
    );
    const { filter } = options;
    const filterLimits = [0, 1].map((k) =>
      numberField(k ? 'filter-high' : 'filter-low', filter.range[k], k ? 'at most' : 'at least', (value) => {
        filter.range[k] = value;
        newColours();
        this.updateTubes();
      }),
    );
    const region = ['x', 'y', 'z'].map((axis, a) =>
      line(`${axis}, m`, ...[0, 1].map((k) =>
        numberField(`region-${axis}${k}`, filter.region[2 * a + k], k ? 'to' : 'from', (value) => {
          filter.region[2 * a + k] = value;
          newColours();
          this.updateTubes();
        }),
      )),
    );
    const axes = /** @type {[string, string][]} */ ([['none', 'off'], ...['x', '-x', 'y', '-y', 'z', '-z'].map((axis) => [axis, `beyond ${axis}`])]);
    byId('panel').replaceChildren(
      element('h1', {}, [run.name || 'run']),
      element('div', { id: 'details' }),
      section('Colours', true,
        line('quantity', choice('colour', quantities, options.colour, (value) => {
          options.colour = value;
          options.range = null;
          this.seen = null;
          for (const field of limits) field.value = '';
          newColours();
        })),
        line('map', choice('map', maps, options.map, (value) => {
          options.map = value;
          newColours();
        })),
        line('range', ...limits),
      ),
      section('Forces', true,
        checkbox('forces', 'contact forces', options.forces.on, (isOn) => {
          options.forces.on = isOn;
          this.updateTubes();
          this.complete();
        }),
        line('width', slider('force-width', 0.2, 4, options.forces.width, (value) => {
          options.forces.width = value;
          this.updateTubes();
        })),
        line('at least', slider('force-least', 0, 0.5, options.forces.least, (value) => {
          options.forces.least = value;
          this.updateTubes();
        })),
      ),
      section('Show', true,
        checkbox('grains', 'grains', options.grains, (isOn) => {
          options.grains = isOn;
          this.recolour();
        }),
        line('size', slider('grow', 0.1, 1, options.grow, (value) => {
          options.grow = value;
          this.renderer.grow = value;
          this.touch();
        })),
        checkbox('walls', 'walls and surfaces', options.walls, (isOn) => {
          options.walls = isOn;
          this.touch();
        }),
        line('glass', slider('glass', 0, 1, options.glass, (value) => {
          options.glass = value;
          this.touch();
        })),
        line('cut', choice('cut', axes, options.cut.axis, (value) => {
          options.cut.axis = value;
          this.touch();
        })),
        line('cut at', slider('cut-place', 0, 1, options.cut.place, (value) => {
          options.cut.place = value;
          this.touch();
        })),
      ),
      section('Filter', false,
        element('div', { id: 'kinds' }),
        line('quantity', choice('filter', [['', 'none'], ...quantities], filter.quantity || '', (value) => {
          filter.quantity = value || null;
          newColours();
        })),
        line('', ...filterLimits),
        ...region,
      ),
      section('Camera', true,
        element('div', { class: 'row' }, Object.keys(VIEWS).map((name) => button(`view-${name}`, name, `view: ${name}`, () => {
          this.camera.look(/** @type {keyof typeof VIEWS} */ (name));
          this.fitGrains();
        }))),
        element('div', { class: 'row' }, [button('fit-grains', 'show grains', 'show the grains', () => this.fitGrains()), button('fit', 'show all', 'show the whole room', () => this.fit())]),
        checkbox('orthographic', 'orthographic', options.orthographic, (isOn) => this.setOrthographic(isOn)),
        checkbox('soft', 'soft shadows at rest', options.soft, (isOn) => {
          options.soft = isOn;
          this.touch();
        }),
      ),
      section('Save', true,
        element('div', { class: 'row' }, [
          button('png', 'PNG', 'save the picture in twice the resolution', () => this.savePicture()),
          button('webm', 'WebM', 'record the frames as a film', () => this.startFilm()),
          button('link', 'copy link', 'copy a link to this view', () => this.copyLink()),
          button('theme', 'light, dark', 'change between light and dark', () => this.changeTheme()),
          button('show-help', '?', 'keys', () => this.help()),
        ]),
      ),
    );
  }

  fillKinds() {
    const { frame, shapes, run, options } = this;
    if (!frame || !shapes) return;
    const present = new Set();
    for (let k = 0; k < frame.count; k++) {
      if (!frame.fixed[k]) present.add(run.kinds[shapes.arrays.kind[frame.shape[k]]]);
    }
    byId('kinds').replaceChildren(...[...present].sort().map((kind) =>
      checkbox(`kind-${kind.replace(' ', '-')}`, kind, !options.filter.kinds.includes(kind), (isOn) => {
        options.filter.kinds = options.filter.kinds.filter((one) => one !== kind);
        if (!isOn) options.filter.kinds.push(kind);
        this.recolour();
        this.updateTubes();
      }),
    ));
  }

  // --- The chosen grain -------------------------------------------------------------------------

  /** @param {number | null} id */
  choose(id) {
    const { options } = this;
    options.grain = id;
    this.track = null;
    if (id === null) {
      options.follow = false;
      options.track = false;
    } else if (options.track) {
      this.loadTrack();
    }
    this.updateTubes();
    this.updateDetails();
    this.touch();
  }

  /** @param {number} x @param {number} y pixels of the page */
  idAt(x, y) {
    const { camera, frame } = this;
    const ratio = camera.width / this.renderer.canvas.clientWidth;
    const index = frame ? this.renderer.pick(camera, this.cut(), Math.floor(x * ratio), Math.floor(y * ratio)) : -1;
    this.touch();
    return frame && index >= 0 ? frame.idOf(index) : null;
  }

  /** @param {number | null} id */
  centreOn(id) {
    const index = this.frame && id !== null ? this.frame.indexOf(id) : -1;
    if (!this.frame || index < 0) return;
    this.camera.target = this.frame.placeOf(index);
    this.touch();
  }

  async loadTrack() {
    const id = this.options.grain;
    if (id === null || this.isLive) return;
    const numbers = this.run.frames.map((/** @type {number[]} */ [number]) => number);
    /** @type {number[]} */
    const places = [];
    try {
      for (let k = 0; k < numbers.length; k += TRACK_PART) {
        const { arrays } = await this.source.track(id, numbers.slice(k, k + TRACK_PART));
        if (this.options.grain !== id) return;
        places.push(...arrays.position);
        this.track = new Float32Array(places);
        this.updateTubes();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  async updateDetails() {
    const box = byId('details');
    const { frame, options } = this;
    const id = options.grain;
    if (!frame || id === null) {
      box.replaceChildren();
      return;
    }
    const index = frame.indexOf(id);
    if (index < 0) {
      box.replaceChildren(element('p', {}, [`Grain ${id} is not in this frame.`]));
      return;
    }
    // During a film or a live view the numbers change too fast to be read.
    if (this.isPlaying) return;
    const asked = (this.detailsAsked = (this.detailsAsked || 0) + 1);
    let data = null;
    try {
      data = await this.source.grain(this.isLive ? /** @type {any} */ ('live') : this.number || 0, id);
    } catch {
      // The run may have gone on.
    }
    if (asked !== this.detailsAsked) return;
    const rows = data ? rowsOf(data) : this.rowsOfFrame(frame, index);
    this.details = data;
    const box2 = [
      element('div', { class: 'row' }, [
        button('follow', 'follow', 'keep the grain in the middle', () => {
          options.follow = !options.follow;
          if (options.follow) this.centreOn(id);
          this.updateDetails();
        }),
        button('track', 'track', 'show the path of the grain', () => {
          options.track = !options.track;
          if (options.track) this.loadTrack();
          this.updateTubes();
          this.updateDetails();
        }),
        button('choose-none', '✕', 'choose no grain', () => this.choose(null)),
      ]),
      element('table', {}, rows.map(([name, value]) => element('tr', {}, [element('td', {}, [name]), element('td', {}, [value])]))),
    ];
    box.replaceChildren(section(`Grain ${id}`, true, ...box2));
    byId('follow').setAttribute('aria-pressed', String(options.follow));
    byId('track').setAttribute('aria-pressed', String(options.track));
  }

  /** @param {Frame} frame @param {number} index @returns {[string, string][]} */
  rowsOfFrame(frame, index) {
    const { shapes, run } = this;
    if (!shapes) return [];
    /** @type {[string, string][]} */
    const rows = [
      ['shape', run.kinds[shapes.arrays.kind[frame.shape[index]]]],
      ['position, m', add(frame.placeOf(index), run.origin).map(shortNumber).join(', ')],
    ];
    for (const { name, label } of run.quantities) {
      const values = this.frame === frame ? this.values(name) : null;
      if (values && name !== 'kind' && name !== 'id') rows.push([label, shortNumber(values[index])]);
    }
    return rows;
  }

  // --- Input ------------------------------------------------------------------------------------

  /** @param {boolean} isOn */
  setOrthographic(isOn) {
    this.options.orthographic = isOn;
    this.camera.isOrthographic = isOn;
    byId('orthographic').checked = isOn;
    this.bodiesChanged = true;
    this.touch();
  }

  changeTheme() {
    this.options.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    this.applyTheme();
  }

  help() {
    const dialog = byId('help');
    dialog.replaceChildren(
      element('table', {}, KEYS.map(([keys, what]) => element('tr', {}, [element('td', {}, [element('kbd', {}, [keys])]), element('td', {}, [what])]))),
      button('close-help', 'close', 'close', () => dialog.close()),
    );
    dialog.showModal();
  }

  listen() {
    const { camera } = this;
    const moved = () => {
      const { target, distance, azimuth, elevation } = camera;
      this.options.camera = [...add(target, this.run.origin), distance, azimuth, elevation];
      this.touch();
    };
    const ratio = () => camera.width / this.renderer.canvas.clientWidth;
    listenToPointers(this.renderer.canvas, {
      turn: (dx, dy) => {
        if (camera.isPlanar) camera.shift(dx * ratio(), dy * ratio());
        else camera.turn(0.4 * dx, 0.4 * dy);
        moved();
      },
      shift: (dx, dy) => {
        this.options.follow = false;
        camera.shift(dx * ratio(), dy * ratio());
        moved();
      },
      zoom: (factor, x, y) => {
        if (this.options.follow) camera.zoom(factor, 0, 0);
        else camera.zoom(factor, x * ratio(), y * ratio());
        moved();
      },
      click: (x, y) => this.choose(this.idAt(x, y)),
      center: (x, y) => {
        const id = this.idAt(x, y);
        if (id !== null) {
          this.centreOn(id);
          moved();
        }
      },
    });
    addEventListener('resize', () => {
      this.touch();
      this.plot.draw();
    });
    addEventListener('keydown', (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    const views = Object.keys(VIEWS);
    const number = Number(event.key);
    /** @type {{[key: string]: () => void}} */
    const actions = {
      ' ': () => (this.isLive ? this.order(this.isPaused ? 'go' : 'pause') : this.togglePlay()),
      ArrowLeft: () => this.showPlace(this.place() - 1),
      ArrowRight: () => this.showPlace(this.place() + 1),
      Home: () => this.showPlace(0),
      End: () => this.showPlace(this.run.frames.length - 1),
      f: () => this.fitGrains(),
      0: () => this.fit(),
      o: () => this.setOrthographic(!this.options.orthographic),
      c: () => byId('forces').click(),
      w: () => byId('walls').click(),
      p: () => this.savePicture(),
      t: () => this.changeTheme(),
      Escape: () => this.choose(null),
      '?': () => this.help(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action) {
      action();
    } else if (number >= 1 && number <= 7) {
      this.camera.look(/** @type {keyof typeof VIEWS} */ (views[number - 1]));
      this.fitGrains();
    } else {
      return;
    }
    event.preventDefault();
  }

  // --- Saving -----------------------------------------------------------------------------------

  saveLinkSoon() {
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => history.replaceState(null, '', optionsToLink(this.options)), 300);
  }

  async copyLink() {
    const link = new URL(optionsToLink(this.options), location.href).href;
    history.replaceState(null, '', link);
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      // The address line contains it.
    }
  }

  /** Draws the picture in a resolution, with all samples. @param {number} factor */
  async picture(factor) {
    const { renderer, camera } = this;
    this.measure(factor);
    this.sendBodies(0);
    renderer.samples = 0;
    const limit = this.options.soft && renderer.canAverage ? this.sampleLimit() : 0;
    if (limit === 0) renderer.draw(camera, this.scene(), null);
    for (let k = 0; k < limit; k++) {
      renderer.draw(camera, this.scene(), k);
      renderer.addSample();
    }
    renderer.show(limit > 0);
    this.drawLayer();
    const blob = await pngOf(joinedPicture(renderer.canvas, byId('layer')));
    this.measure();
    this.bodiesChanged = true;
    this.touch();
    return blob;
  }

  async savePicture() {
    const blob = await this.picture(2);
    const name = this.number === null ? 'live' : String(this.number).padStart(6, '0');
    offerFile(blob, `${this.run.name}_${name}.png`);
  }

  /** Records all frames. */
  async startFilm() {
    if (this.film) {
      this.isPlaying = false;
      await this.endFilm();
      return;
    }
    try {
      await this.showPlace(0);
      const joined = joinedPicture(this.renderer.canvas, byId('layer'));
      this.film = new Film(joined);
      const copy = () => {
        if (!this.film) return;
        joinedPicture(this.renderer.canvas, byId('layer'), joined);
        requestAnimationFrame(copy);
      };
      copy();
      byId('webm').textContent = 'stop';
      this.isPlaying = false;
      this.togglePlay();
    } catch (error) {
      this.fail(error);
    }
  }

  async endFilm() {
    const film = this.film;
    if (!film) return;
    const blob = await film.end();
    this.film = null;
    byId('webm').textContent = 'WebM';
    this.lastFilm = blob.size;
    offerFile(blob, `${this.run.name}.webm`);
  }
}

/** Returns the data of a grain as lines of text. @param {any} data @returns {[string, string][]} */
function rowsOf(data) {
  const numbers = (/** @type {number[]} */ list) => list.map(shortNumber).join(', ');
  const magnitude = (/** @type {number[]} */ list) => shortNumber(Math.hypot(...list));
  const sizes = Object.entries(Object.values(data.shape)[0] || {}).filter(([, value]) => !Array.isArray(value) || value.length <= 4);
  /** @type {[string, string][]} */
  const rows = [['shape', data.kind.replace('_', ' ')]];
  for (const [name, value] of sizes) rows.push([name.replace('_', ' '), Array.isArray(value) ? numbers(value) : shortNumber(Number(value))]);
  rows.push(
    ['material', data.material || ''],
    ['mass, kg', data.mass === null ? 'fixed' : shortNumber(data.mass)],
    ['position, m', numbers(data.position)],
    ['orientation', numbers(data.orientation)],
    ['velocity, m/s', `${magnitude(data.velocity)} (${numbers(data.velocity)})`],
    ['spin, rad/s', `${magnitude(data.spin)} (${numbers(data.spin)})`],
    ['contacts', String(data.contacts.length)],
  );
  for (const { with: partner, force, gap } of data.contacts.slice(0, 12)) {
    rows.push([`with ${partner}`, `${magnitude(force)} N${gap === null ? '' : `, gap ${shortNumber(gap)} m`}`]);
  }
  return rows;
}

/** Reports an error that prevents the start. @param {unknown} error */
function reportStart(error) {
  const banner = byId('message');
  banner.textContent = error instanceof Error ? error.message : String(error);
  banner.hidden = false;
  byId('waiting').hidden = true;
}

byId('message').addEventListener('click', () => {
  byId('message').hidden = true;
});

try {
  const app = new App();
  /** @type {any} */ (window).granum = app;
  app.start().catch(reportStart);
} catch (error) {
  reportStart(error);
}
