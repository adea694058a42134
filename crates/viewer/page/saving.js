// Pictures and films.

/** Frames per second of a film. */
const FILM_RATE = 25;

/** Offers a file to the user. @param {Blob} blob @param {string} name */
export function offerFile(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * Joins the picture and the layer with the legend.
 * @param {HTMLCanvasElement} picture @param {HTMLCanvasElement} layer @param {HTMLCanvasElement} [onto]
 */
export function joinedPicture(picture, layer, onto = document.createElement('canvas')) {
  if (onto.width !== picture.width || onto.height !== picture.height) {
    onto.width = picture.width;
    onto.height = picture.height;
  }
  const paper = /** @type {CanvasRenderingContext2D} */ (onto.getContext('2d'));
  paper.drawImage(picture, 0, 0);
  paper.drawImage(layer, 0, 0, picture.width, picture.height);
  return onto;
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
export function pngOf(canvas) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be saved.'))), 'image/png');
  });
}

/** Records a canvas as WebM until it is stopped. */
export class Film {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    if (typeof MediaRecorder === 'undefined') throw new Error('This browser cannot record films.');
    const kinds = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];
    const mimeType = kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
    if (!mimeType) throw new Error('This browser cannot record WebM.');
    /** @type {Blob[]} */
    this.parts = [];
    this.recorder = new MediaRecorder(canvas.captureStream(FILM_RATE), { mimeType, videoBitsPerSecond: 12e6 });
    this.recorder.ondataavailable = (event) => this.parts.push(event.data);
    this.recorder.start(500);
  }

  /** @returns {Promise<Blob>} */
  end() {
    return new Promise((resolve) => {
      this.recorder.onstop = () => resolve(new Blob(this.parts, { type: 'video/webm' }));
      this.recorder.stop();
    });
  }
}
