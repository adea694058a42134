// Colours of grains by a quantity, and the legend.

/** @typedef {{name: string, label: string, magnitude: boolean, category: boolean, asked: boolean}} Quantity */

const OBSTACLE = [176, 180, 188];
const PLAIN = [196, 166, 120];

/** Number of colours of a table. */
const SHADES = 256;

/** Packs a colour as the instances have it. @param {number[]} colour */
function packedColour([r, g, b]) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** Returns the colour at a part of a map. @param {number[][]} map @param {number} part */
export function mapColour(map, part) {
  const place = Math.max(0, Math.min(1, part || 0)) * (map.length - 1);
  const k = Math.min(Math.floor(place), map.length - 2);
  return map[k].map((value, c) => Math.round(value + (place - k) * (map[k + 1][c] - value)));
}

/**
 * Returns the packed colour of every body.
 * @param {ArrayLike<number> | null} values @param {Uint8Array} fixed @param {Quantity} quantity
 * @param {number[][]} map @param {number[][]} categories @param {number[]} order of the categories
 * @param {[number, number]} range
 */
export function bodyColours(values, fixed, quantity, map, categories, order, range) {
  const colours = new Uint32Array(fixed.length);
  const [obstacle, plain] = [packedColour(OBSTACLE), packedColour(PLAIN)];
  if (!values) {
    for (let k = 0; k < colours.length; k++) colours[k] = fixed[k] ? obstacle : plain;
    return colours;
  }
  const shades = new Uint32Array(SHADES);
  for (let k = 0; k < SHADES; k++) shades[k] = packedColour(mapColour(map, k / (SHADES - 1)));
  const scale = (SHADES - 1) / (range[1] - range[0] || 1);
  for (let k = 0; k < colours.length; k++) {
    if (fixed[k]) {
      colours[k] = obstacle;
    } else if (quantity.category) {
      colours[k] = packedColour(categories[Math.max(0, order.indexOf(values[k])) % categories.length]);
    } else {
      const shade = (values[k] - range[0]) * scale;
      colours[k] = shades[shade > 0 ? Math.min(SHADES - 1, Math.round(shade)) : 0];
    }
  }
  return colours;
}

/** Returns the least and the greatest finite value of grains. @param {ArrayLike<number>} values @param {Uint8Array} fixed @returns {[number, number]} */
export function rangeOf(values, fixed) {
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    if (fixed[k] || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Returns a number with three digits. @param {number} value */
export function shortNumber(value) {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2);
  return String(Number(value.toPrecision(size >= 1000 ? 4 : 3)));
}

/** Returns about five round values of a range. @param {number} low @param {number} high */
export function ticksOf(low, high) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = power * ([1, 2, 5, 10].find((k) => span / (k * power) <= 5.5) || 10);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) ticks.push(k * step);
  return ticks;
}

/**
 * Draws the legend.
 * @param {CanvasRenderingContext2D} paper @param {number} x @param {number} y @param {number} height
 * @param {{label: string, map: number[][], range: [number, number], ink: string,
 *   names: [string, number[]][] | null}} legend
 */
export function drawLegend(paper, x, y, height, { label, map, range, ink, names }) {
  paper.font = '13px system-ui, sans-serif';
  paper.fillStyle = ink;
  paper.textBaseline = 'alphabetic';
  paper.textAlign = 'left';
  paper.fillText(label, x, y - 10);
  paper.textBaseline = 'middle';
  if (names) {
    names.forEach(([name, colour], k) => {
      paper.fillStyle = `rgb(${colour})`;
      paper.fillRect(x, y + 22 * k, 15, 15);
      paper.fillStyle = ink;
      paper.fillText(name, x + 22, y + 22 * k + 8);
    });
    return;
  }
  const halo = paper.shadowBlur;
  paper.shadowBlur = 0;
  for (let row = 0; row < height; row++) {
    paper.fillStyle = `rgb(${mapColour(map, 1 - row / (height - 1))})`;
    paper.fillRect(x, y + row, 15, 1.5);
  }
  paper.shadowBlur = halo;
  paper.fillStyle = ink;
  for (const tick of ticksOf(range[0], range[1])) {
    const place = y + height * (1 - (tick - range[0]) / (range[1] - range[0] || 1));
    paper.fillRect(x + 15, place, 4, 1);
    paper.fillText(shortNumber(tick), x + 23, place);
  }
}
