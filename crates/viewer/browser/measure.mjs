// Speed of the viewer with many grains, without a graphics card: `cargo xtask viewer --measure`.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { finish, granum, opened, started, work } from './support.mjs';

/** Pictures per second of a live view. */
const RATE = 20;

/** Number of runs of which the least processor time counts. */
const REPEATS = 3;

/** Ellipsoids that fall apart on a lattice. @param {number} count */
const falling = (count) => `
title = "many ellipsoids"
[time]
end = "0.2 ms"
step = "0.1 ms"
output = "0.1 ms"
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
count = ${count}
orientation = "random"
velocity = [0, 0, -0.1]
[grains.ellipsoid]
semi_axes = ["1 mm", "1.5 mm", "2 mm"]
[grains.lattice]
min = [0, 0, 0]
max = ["${2 * Math.ceil(4.1 * Math.cbrt(count / 4))} mm", "${2 * Math.ceil(4.1 * Math.cbrt(count / 4))} mm", "${Math.ceil(4.1 * Math.cbrt(count / 4) * 1.3)} mm"]
`;

/** @param {number} count */
async function pictures(count) {
  const file = join(work, `${count}.toml`);
  const run = join(work, `run_${count}`);
  writeFileSync(file, falling(count));
  granum('run', file, '--out', run, '--quiet');
  const viewer = await started('view', run, '--no-open');
  const bytes = await new Promise((resolve) => get(`${viewer.url}api/frame/0`, (answer) => {
    let sum = 0;
    answer.on('data', (part) => (sum += part.length));
    answer.on('end', () => resolve(sum));
  }));
  viewer.stop();
  await viewer.ended;
  // A new server has read nothing yet.
  const fresh = await started('view', run, '--no-open');
  const { page } = await opened(fresh.url, { view: { soft: false, plot: false } });
  const first = await page.evaluate(() => window.granum.firstPicture);
  const rest = await page.evaluate(() => {
    window.granum.sendBodies(0);
    window.granum.renderer.draw(window.granum.camera, window.granum.scene(), null);
    return window.granum.renderer.statistics;
  });
  const turning = await page.evaluate(async () => {
    const app = window.granum;
    const { gl } = app.renderer;
    const begun = performance.now();
    let pictures = 0;
    while (performance.now() - begun < 4000) {
      app.camera.turn(2, 0);
      app.touch();
      const before = app.pictures;
      while (app.pictures === before) await new Promise((resolve) => requestAnimationFrame(resolve));
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      pictures++;
    }
    return { rate: (1000 * pictures) / (performance.now() - begun), statistics: app.renderer.statistics };
  });
  console.log(`${count} ellipsoids: ${(bytes / count).toFixed(1)} bytes per grain, first picture after ${first.toFixed(0)} ms`);
  console.log(`   at rest ${rest.triangles} triangles in ${rest.calls} draw calls`);
  console.log(`   turning in software ${turning.rate.toFixed(1)} pictures/s of ${turning.statistics.triangles} triangles`);
  await page.close();
  fresh.stop();
  await fresh.ended;
}

/** Processor time of a process, s. @param {number} id */
function processorTime(id) {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Processor time of a run with a viewer, and the number of pictures that a client has taken. @param {boolean} isWatched @param {number} k */
async function liveRun(isWatched, k) {
  const out = join(work, `live_${isWatched}_${k}`);
  const live = await started('run', 'scenes/everything.toml', '--until', '0.25 s', '--view', '--no-open', '--out', out);
  let [taken, after] = [0, ''];
  const ask = () => new Promise((resolve) => get(`${live.url}api/live?quantity=speed${after}`, (answer) => {
    const parts = [];
    answer.on('data', (part) => parts.push(part));
    answer.on('end', () => {
      const bytes = Buffer.concat(parts);
      const head = JSON.parse(bytes.subarray(4, 4 + bytes.readUInt32LE(0)).toString());
      after = `&after=${head.step}`;
      resolve(head);
    });
  }));
  const begun = performance.now();
  while (!existsSync(join(out, 'summary.json'))) {
    if (isWatched) {
      const head = await ask();
      taken += head.unchanged ? 0 : 1;
    }
    await new Promise((resolve) => setTimeout(resolve, isWatched ? 1000 / RATE / 4 : 50));
  }
  const seconds = (performance.now() - begun) / 1000;
  const time = processorTime(live.id);
  live.stop();
  await live.ended;
  return { time, rate: taken / seconds };
}

for (const count of [10000, 100000]) await pictures(count);
const runs = { watched: [], alone: [] };
for (let k = 0; k < REPEATS; k++) {
  runs.alone.push(await liveRun(false, k));
  runs.watched.push(await liveRun(true, k));
}
const least = (list) => Math.min(...list.map(({ time }) => time));
const [alone, watched] = [least(runs.alone), least(runs.watched)];
console.log(`live view at ${runs.watched[0].rate.toFixed(1)} pictures/s: ${watched.toFixed(2)} s of processor time, ${alone.toFixed(2)} s without a page: ${(100 * (watched / alone - 1)).toFixed(1)} % more`);
await finish();
