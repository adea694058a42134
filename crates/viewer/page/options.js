// What the user has chosen, and the link that stores it.

/** @typedef {ReturnType<typeof defaultOptions>} Options */

export function defaultOptions() {
  return {
    /** Number of the frame; null for the last one. @type {number | null} */
    frame: null,
    colour: 'speed',
    map: 'viridis',
    /** Values of the first and the last colour; null for those of the frames seen so far. @type {[number, number] | null} */
    range: null,
    forces: { on: false, width: 1, least: 0.02 },
    grains: true,
    /** Factor of the size of grains. */
    grow: 1,
    walls: true,
    glass: 0.14,
    filter: {
      /** @type {string | null} */
      quantity: null,
      /** @type {[number | null, number | null]} */
      range: [null, null],
      /** Kinds of shapes that are hidden. @type {string[]} */
      kinds: [],
      /** Region, m: least and greatest x, y, z. @type {(number | null)[]} */
      region: [null, null, null, null, null, null],
    },
    /** Clipping plane: axis with sign, and place as a part of the scene. */
    cut: { axis: 'none', place: 0.5 },
    soft: true,
    /** @type {'auto' | 'light' | 'dark'} */
    theme: 'auto',
    /** Id of the chosen grain. @type {number | null} */
    grain: null,
    follow: false,
    track: false,
    plot: true,
    speed: 1,
    loop: true,
    /** Target, distance, azimuth, elevation; null for a view of everything. @type {number[] | null} */
    camera: null,
    orthographic: false,
  };
}

/** Returns the options as the part of a link after `#`: those that differ from the defaults. @param {Options} options */
export function optionsToLink(options) {
  const defaults = /** @type {any} */ (defaultOptions());
  /** @type {any} */
  const changed = {};
  for (const [name, value] of Object.entries(options)) {
    if (JSON.stringify(value) !== JSON.stringify(defaults[name])) changed[name] = value;
  }
  return `#${encodeURIComponent(JSON.stringify(changed))}`;
}

/** Reads a link. Values of the wrong type are ignored. @param {string} link @returns {Options} */
export function optionsFromLink(link) {
  const options = /** @type {any} */ (defaultOptions());
  let given;
  try {
    given = JSON.parse(decodeURIComponent(link.replace(/^#/, '')) || '{}');
  } catch {
    return options;
  }
  for (const [name, value] of Object.entries(given)) {
    if (!(name in options)) continue;
    const own = options[name];
    if (own === null || value === null || typeof own !== typeof value) {
      if (own === null || value === null) options[name] = value;
    } else if (typeof own === 'object' && !Array.isArray(own)) {
      options[name] = { ...own, .../** @type {any} */ (value) };
    } else {
      options[name] = value;
    }
  }
  return options;
}
