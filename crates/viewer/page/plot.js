// The plot of energies and contacts over time, linked to the timeline.

import { shortNumber, ticksOf } from './colours.js';

/** Name of the array, label, colour. */
const SERIES = [
  ['kinetic', 'kinetic', '#4477aa'],
  ['potential', 'potential', '#228833'],
  ['elastic', 'elastic', '#ccbb44'],
  ['dissipated', 'dissipated', '#cc3366'],
  ['contacts', 'contacts (right)', '#8c8c8c'],
];

/** Space for the numbers on all sides, pixels. */
const LEFT = 58;
const RIGHT = 50;
const BELOW = 18;
const ABOVE = 20;

export class Plot {
  /** @param {HTMLCanvasElement} canvas @param {(time: number) => void} onTime */
  constructor(canvas, onTime) {
    this.canvas = canvas;
    /** @type {import('./message.js').Arrays | null} */
    this.table = null;
    /** Names of the series that are not drawn. @type {Set<string>} */
    this.hidden = new Set(['potential', 'dissipated']);
    this.time = 0;
    this.end = 0;
    const move = (/** @type {PointerEvent} */ event) => {
      if (event.buttons !== 1) return;
      const part = (event.offsetX - LEFT) / (canvas.clientWidth - LEFT - RIGHT);
      if (event.offsetY > ABOVE) onTime(Math.max(0, Math.min(1, part)) * this.end);
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      const label = this.labels.find(({ from, to }) => event.offsetX >= from && event.offsetX <= to);
      if (event.offsetY <= ABOVE && label) {
        if (!this.hidden.delete(label.name)) this.hidden.add(label.name);
        this.draw();
      } else {
        move(event);
      }
    });
    canvas.addEventListener('pointermove', move);
    /** @type {{name: string, from: number, to: number}[]} */
    this.labels = [];
  }

  /** @param {import('./message.js').Arrays} table */
  setTable(table) {
    this.table = table;
    this.draw();
  }

  /** @param {number} time @param {number} end */
  setTime(time, end) {
    this.time = time;
    this.end = end;
    this.draw();
  }

  draw() {
    const { canvas, table } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!table || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    paper.scale(ratio, ratio);
    const ink = getComputedStyle(canvas).color;
    paper.font = '11px system-ui, sans-serif';
    paper.textBaseline = 'middle';
    const times = table.time;
    this.end = Math.max(this.end, times.length ? times[times.length - 1] : 0) || 1;
    const x = (/** @type {number} */ time) => LEFT + ((width - LEFT - RIGHT) * time) / this.end;
    const bottom = height - BELOW;
    const shown = SERIES.filter(([name]) => !this.hidden.has(name));
    const range = (/** @type {string[]} */ names) => {
      let [low, high] = [0, 0];
      for (const name of names) {
        for (const value of table[name]) {
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
      return high > low ? [low, high] : [low, low + 1];
    };
    const energies = range(shown.map(([name]) => name).filter((name) => name !== 'contacts'));
    const contacts = range(['contacts']);
    const y = (/** @type {number} */ value, /** @type {number[]} */ [low, high]) => bottom - ((bottom - ABOVE) * (value - low)) / (high - low);
    paper.fillStyle = ink;
    paper.strokeStyle = ink;
    paper.globalAlpha = 0.15;
    for (const tick of ticksOf(energies[0], energies[1])) paper.fillRect(LEFT, y(tick, energies), width - LEFT - RIGHT, 1);
    paper.globalAlpha = 1;
    paper.textAlign = 'right';
    for (const tick of ticksOf(energies[0], energies[1])) paper.fillText(`${shortNumber(tick)}`, LEFT - 4, y(tick, energies));
    paper.fillText('J', LEFT - 4, ABOVE - 12);
    paper.textAlign = 'left';
    if (!this.hidden.has('contacts')) {
      for (const tick of ticksOf(contacts[0], contacts[1])) paper.fillText(shortNumber(tick), width - RIGHT + 4, y(tick, contacts));
    }
    paper.textAlign = 'center';
    for (const tick of ticksOf(0, this.end)) paper.fillText(`${shortNumber(tick)}`, x(tick), height - 7);
    // More rows than pixels are not visible.
    const stride = Math.max(1, Math.floor(times.length / (2 * width)));
    for (const [name, , colour] of shown) {
      paper.strokeStyle = colour;
      paper.lineWidth = 1.5;
      paper.beginPath();
      for (let k = 0; k < times.length; k += stride) {
        paper.lineTo(x(times[k]), y(table[name][k], name === 'contacts' ? contacts : energies));
      }
      paper.stroke();
    }
    this.labels = [];
    paper.textAlign = 'left';
    let place = LEFT;
    for (const [name, label, colour] of SERIES) {
      paper.globalAlpha = this.hidden.has(name) ? 0.35 : 1;
      paper.fillStyle = colour;
      paper.fillRect(place, 7, 10, 3);
      paper.fillStyle = ink;
      paper.fillText(label, place + 14, 9);
      const to = place + 14 + paper.measureText(label).width;
      this.labels.push({ name, from: place, to });
      place = to + 14;
    }
    paper.globalAlpha = 1;
    paper.fillStyle = '#ee5500';
    paper.fillRect(x(this.time) - 0.75, ABOVE, 1.5, bottom - ABOVE);
  }
}
