// Where data come from: the server of this page, or the page itself if it was exported to a file.

import { readMessage } from './message.js';

/** @typedef {{quantities: string[], contacts: boolean}} Wanted */

/** The server. Errors have the message of the server. */
export class ServerSource {
  isEmbedded = false;

  /** @param {string} path @param {AbortSignal} [signal] */
  async ask(path, signal) {
    let response;
    try {
      response = await fetch(path, { signal });
    } catch (error) {
      if (signal && signal.aborted) throw error;
      throw new Error('The viewer does not answer; it was stopped.');
    }
    if (!response.ok) throw new Error(await response.text());
    return response;
  }

  /** @param {string} path @param {AbortSignal} [signal] */
  async message(path, signal) {
    const response = await this.ask(path, signal);
    return readMessage(await response.arrayBuffer());
  }

  /** Describes the run; null if it is still that with this number. @param {number} [known] */
  async run(known) {
    const response = await this.ask(known === undefined ? '/api/run' : `/api/run?known=${known}`);
    return response.status === 204 ? null : await response.json();
  }

  /** @param {number | 'live'} number */
  shapes(number) {
    return this.message(`/api/shapes/${number}`);
  }

  /** @param {Wanted} wanted */
  parameters({ quantities, contacts }) {
    return `quantity=${quantities.join(',')}&contacts=${contacts ? 1 : 0}`;
  }

  /** @param {number} number @param {Wanted} wanted */
  frame(number, wanted) {
    return this.message(`/api/frame/${number}?${this.parameters(wanted)}`);
  }

  /** Waits for a state of the running simulation. @param {number | undefined} after @param {Wanted} wanted */
  live(after, wanted) {
    const known = after === undefined ? '' : `&after=${after}`;
    return this.message(`/api/live?${this.parameters(wanted)}${known}`);
  }

  /** All data of a body. @param {number} number @param {number} id */
  async grain(number, id) {
    return (await this.ask(`/api/grain/${number}/${id}`)).json();
  }

  /** Places of a body. @param {number} id @param {number[]} numbers */
  track(id, numbers) {
    return this.message(`/api/track/${id}?frames=${numbers.join(',')}`);
  }

  energies() {
    return this.message('/api/energies');
  }

  /** Gives an order to the running simulation. @param {string} name */
  async order(name) {
    const response = await fetch(`/api/order/${name}`, { method: 'POST', headers: { 'X-Granum': '1' } });
    if (!response.ok) throw new Error(await response.text());
  }
}

/** Data in elements of the page, compressed and as text. */
export class EmbeddedSource {
  isEmbedded = true;

  /** @param {string} name @returns {Promise<ArrayBuffer>} */
  async bytes(name) {
    const element = document.querySelector(`script[data-name="${name}"]`);
    if (!element) throw new Error(`This file does not contain ${name}.`);
    const text = atob(element.textContent || '');
    const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
  }

  /** @param {number} [known] */
  async run(known) {
    return known === undefined ? JSON.parse(new TextDecoder().decode(await this.bytes('run'))) : null;
  }

  async shapes() {
    return readMessage(await this.bytes('shapes'));
  }

  /** @param {number} number */
  async frame(number) {
    return readMessage(await this.bytes(`frame/${number}`));
  }

  async energies() {
    return readMessage(await this.bytes('energies'));
  }

  /** @returns {Promise<any>} */
  async grain() {
    return null;
  }

  /** @param {number} id @param {number[]} numbers */
  async track(id, numbers) {
    const number = [];
    const position = [];
    for (const one of numbers) {
      const { head, arrays } = await this.frame(one);
      const index = arrays.id ? arrays.id.indexOf(id) : id < head.count ? id : -1;
      if (index < 0) continue;
      number.push(one);
      position.push(...arrays.position.subarray(3 * index, 3 * index + 3));
    }
    return { head: {}, arrays: { number, position } };
  }

  /** @returns {Promise<any>} */
  async live() {
    throw new Error('A file has no running simulation.');
  }

  async order() {
    throw new Error('A file has no running simulation.');
  }
}

export function openSource() {
  return document.querySelector('script[data-name="run"]') ? new EmbeddedSource() : new ServerSource();
}
