// Reading of binary messages: a JSON head that lists typed arrays, followed by the arrays.

/** @typedef {{[name: string]: any}} Arrays */
/** @typedef {{head: any, arrays: Arrays}} Message */

const ARRAY_TYPES = { Float64Array, Float32Array, Uint32Array, Uint16Array, Int16Array, Uint8Array, Int8Array };

/** @param {ArrayBuffer} buffer @returns {Message} */
export function readMessage(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  /** @type {Arrays} */
  const arrays = {};
  for (const [name, entry] of Object.entries(head.arrays)) {
    const type = ARRAY_TYPES[/** @type {keyof typeof ARRAY_TYPES} */ (entry.type)];
    arrays[name] = new type(buffer, 4 + length + entry.start, entry.length);
  }
  return { head, arrays };
}
