// Comparison of silhouettes: the page and `granum render` show the same body from the same side.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { granum, opened, started, work } from './support.mjs';

/** One grain without gravity, in a random orientation. @param {string} shape */
const scene = (shape) => `
title = "one grain"
gravity = [0, 0, 0]
[time]
end = "2 ms"
step = "1 ms"
output = "1 ms"
[materials.stone]
density = 2600
[[contact]]
between = ["stone", "stone"]
law = "linear"
stiffness = 1000
restitution = 0.5
friction = 0.3
[[grains]]
material = "stone"
count = 1
seed = 5
orientation = "random"
${shape}
[grains.lattice]
min = [-0.2, -0.2, -0.2]
max = [0.2, 0.2, 0.2]
`;

/**
 * Returns the overlap of two silhouettes, scaled to their bounding boxes: the area of the common part
 * divided by that of the union; and the ratio of their proportions.
 */
async function compared(page, picture) {
  return page.evaluate(async (rendered) => {
    const app = window.granum;
    // The level of detail of a picture at rest.
    app.sendBodies(0);
    app.renderer.draw(app.camera, app.scene(), null);
    app.renderer.show(false);
    const own = app.renderer.canvas.toDataURL('image/png');
    const mask = async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const paper = canvas.getContext('2d');
      paper.drawImage(image, 0, 0);
      const { data } = paper.getImageData(0, 0, image.width, image.height);
      const isBody = (x, y) => {
        const k = 4 * (y * image.width + x);
        return [0, 1, 2].some((c) => Math.abs(data[k + c] - data[c]) > 24);
      };
      const box = [Infinity, Infinity, -1, -1];
      for (let y = 0; y < image.height; y++) {
        for (let x = 0; x < image.width; x++) {
          if (isBody(x, y)) {
            box[0] = Math.min(box[0], x);
            box[1] = Math.min(box[1], y);
            box[2] = Math.max(box[2], x);
            box[3] = Math.max(box[3], y);
          }
        }
      }
      const [width, height] = [box[2] - box[0] + 1, box[3] - box[1] + 1];
      return { width, height, at: (u, v) => isBody(Math.floor(box[0] + u * width), Math.floor(box[1] + v * height)) };
    };
    const [a, b] = [await mask(own), await mask(rendered)];
    let [common, all] = [0, 0];
    const side = 300;
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        const [u, v] = [(x + 0.5) / side, (y + 0.5) / side];
        const [inA, inB] = [a.at(u, v), b.at(u, v)];
        common += inA && inB ? 1 : 0;
        all += inA || inB ? 1 : 0;
      }
    }
    return { overlap: common / all, proportion: a.width / a.height / (b.width / b.height), pixels: a.width };
  }, `data:image/png;base64,${picture.toString('base64')}`);
}

/** Draws a grain both ways. @param {string} name @param {string} shape */
export async function silhouettes(name, shape) {
  const file = join(work, `${name}.toml`);
  const run = join(work, `grain_${name}`);
  writeFileSync(file, scene(shape));
  granum('run', file, '--out', run, '--quiet');
  const picture = join(work, `${name}.png`);
  granum('render', run, '--out', picture, '--camera', 'front', '--orthographic', '--no-legend', '--no-walls', '--size', '600x600', '--colour', 'none', '--quiet');
  const viewer = await started('view', run, '--no-open');
  const { page } = await opened(viewer.url, { view: { colour: 'none', orthographic: true, walls: false, soft: false, theme: 'light' } });
  await page.evaluate(() => {
    window.granum.camera.look('front');
    window.granum.fitGrains();
  });
  const result = await compared(page, readFileSync(picture));
  await page.close();
  viewer.stop();
  await viewer.ended;
  return result;
}
