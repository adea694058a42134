// Tests of the viewer in a browser. `cargo xtask viewer` runs them.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { silhouettes } from './silhouette.mjs';
import { PATIENCE, finish, granum, opened, started, work } from './support.mjs';

/** Folder for pictures of the pages, if they are wanted. */
const PICTURES = process.env.PICTURES;

/** A run with grains of all spatial shapes. */
const run = join(work, 'first');

let viewer;

before(async () => {
  granum('run', 'scenes/first_run.toml', '--until', '0.3 s', '--set', 'time.output="50 ms"', '--out', run, '--quiet');
  viewer = await started('view', run, '--no-open');
});

after(async () => {
  viewer?.stop();
  await finish();
});

/** @param {import('playwright-core').Page} page @param {string} name */
async function keep(page, name) {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.waitForFunction(() => window.granum.renderer.samples >= window.granum.sampleLimit() || window.granum.isLive);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Asks the server directly. @param {object} options */
function asked(options) {
  const { port } = new URL(viewer.url);
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, ...options }, (response) => {
      let text = '';
      response.on('data', (part) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    call.on('error', reject);
    call.end();
  });
}

test('a run with every shape opens without errors and requests to others', async () => {
  const { page, seen } = await opened(viewer.url, { view: { colour: 'kind' } });
  const state = await page.evaluate(() => {
    const { frame, shapes, run, renderer } = window.granum;
    const kinds = new Set(Array.from(frame.shape, (s) => run.kinds[shapes.arrays.kind[s]]));
    return { kinds: [...kinds], count: frame.count, drawn: renderer.instances.total, calls: renderer.statistics.calls };
  });
  for (const kind of ['sphere', 'ellipsoid', 'superellipsoid', 'cylinder', 'capsule', 'truncated cone', 'tablet', 'box', 'polyhedron']) {
    assert.ok(state.kinds.includes(kind), `${kind} is missing`);
  }
  assert.ok(state.drawn > 100 && state.drawn < state.count, 'grains are drawn, walls are not instances');
  assert.ok(state.calls < 25, `${state.calls} draw calls`);
  await keep(page, 'shapes');
  assert.deepEqual(seen, { errors: [], elsewhere: [] });
  await page.close();
});

const BODIES = {
  ellipsoid: '[grains.ellipsoid]\nsemi_axes = [0.05, 0.08, 0.12]',
  cylinder: '[grains.cylinder]\nradius = 0.06\nhalf_height = 0.1',
  rock: '[grains.polyhedron]\nrock = [0.2, 0.15, 0.12]\ncorners = 20\nseed = 3',
  superellipsoid: '[grains.superellipsoid]\nsemi_axes = [0.06, 0.08, 0.1]\neps = [0.4, 0.6]',
};

for (const [name, shape] of Object.entries(BODIES)) {
  test(`the silhouette of one ${name} is that of granum render`, async () => {
    const { overlap, proportion, pixels } = await silhouettes(name, shape);
    console.log(`   ${name}: ${(100 * overlap).toFixed(2)} % of ${pixels} pixels overlap, proportions ${proportion.toFixed(4)}`);
    // One row of pixels on all sides of a body of 250 pixels is 1.6 % of its area.
    assert.ok(overlap > 0.98 && Math.abs(proportion - 1) < 0.012, `${overlap} ${proportion}`);
  });
}

test('the timeline plays, steps and ends', async () => {
  const { page } = await opened(viewer.url, { view: { soft: false } });
  await page.keyboard.press('Home');
  await page.waitForFunction(() => window.granum.number === 0);
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => window.granum.number === 1);
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.granum.isPlaying && window.granum.number >= 3);
  await page.keyboard.press('Space');
  assert.equal(await page.evaluate(() => window.granum.isPlaying), false);
  await page.keyboard.press('End');
  await page.waitForFunction(() => window.granum.number === 6);
  assert.match(await page.textContent('#clock'), /0\.3000 s · frame 7 of 7/);
  await page.close();
});

test('a click picks a grain, whose data are those of the run', async () => {
  const { page } = await opened(viewer.url);
  const { id, x, y } = await page.evaluate(() => {
    const app = window.granum;
    app.camera.look('top');
    app.fitGrains();
    // The grain nearest to the eye is not hidden.
    let best = -1;
    for (let k = 0; k < app.frame.count; k++) {
      if (!app.frame.fixed[k] && (best < 0 || app.frame.position[3 * k + 2] > app.frame.position[3 * best + 2])) best = k;
    }
    const m = app.camera.matrix();
    const p = [...app.frame.placeOf(best), 1];
    const clip = [0, 1, 3].map((row) => p.reduce((sum, value, k) => sum + value * m[4 * k + row], 0));
    const canvas = app.renderer.canvas;
    return { id: app.frame.idOf(best), x: (0.5 + 0.5 * clip[0] / clip[2]) * canvas.clientWidth, y: (0.5 - 0.5 * clip[1] / clip[2]) * canvas.clientHeight };
  });
  await page.mouse.click(x, y);
  await page.waitForFunction(() => window.granum.details);
  const details = await page.evaluate(() => window.granum.details);
  assert.equal(details.id, id);
  granum('export', run, '--to', 'csv', '--out', join(work, 'tables'));
  const rows = readFileSync(join(work, 'tables', 'bodies_000006.csv'), 'utf8').trim().split('\n').map((row) => row.split(','));
  const row = rows.find((cells) => cells[0] === String(id));
  assert.deepEqual(details.position, row.slice(4, 7).map(Number));
  assert.match(await page.textContent('#details'), /velocity, m\/s/);
  await page.click('#follow');
  await page.click('#track');
  await page.waitForFunction(() => window.granum.track?.length === 21);
  await keep(page, 'picked');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => window.granum.options.grain), null);
  await page.close();
});

test('filters by shape, quantity and region hide grains', async () => {
  const { page } = await opened(viewer.url, { view: { soft: false } });
  const drawn = () => page.evaluate(() => window.granum.renderer.instances.total);
  const total = await drawn();
  await page.click('summary:has-text("Filter")');
  await page.click('#kind-sphere');
  await page.waitForFunction((all) => window.granum.renderer.instances.total < all, total);
  await page.click('#kind-sphere');
  await page.waitForFunction((all) => window.granum.renderer.instances.total === all, total);
  await page.selectOption('#filter', 'height');
  await page.fill('#filter-low', '0.03');
  await page.press('#filter-low', 'Enter');
  await page.waitForFunction((all) => window.granum.renderer.instances.total < all, total);
  const expected = await page.evaluate(() => {
    const { frame, run } = window.granum;
    let count = 0;
    for (let k = 0; k < frame.count; k++) count += !frame.fixed[k] && frame.position[3 * k + 2] + run.origin[2] >= 0.03 ? 1 : 0;
    return count;
  });
  assert.equal(await drawn(), expected);
  await page.fill('#region-x0', '1000');
  await page.press('#region-x0', 'Enter');
  await page.waitForFunction(() => window.granum.renderer.instances.total === 0);
  await page.close();
});

test('forces, section, and a picture with all samples', async () => {
  const { page, seen } = await opened(viewer.url, { view: { grow: 0.4, colour: 'force', forces: { on: true }, plot: false } });
  await page.waitForFunction(() => window.granum.tubeCount > 20);
  await keep(page, 'forces');
  await page.evaluate(() => {
    window.granum.options.cut = { axis: '-y', place: 0.5 };
    window.granum.touch();
  });
  const [size, width] = await page.evaluate(async () => {
    const blob = await window.granum.picture(1);
    return [blob.size, (await createImageBitmap(blob)).width];
  });
  assert.ok(size > 5000 && width > 300);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test('a film of all frames is recorded as WebM', async () => {
  const { page } = await opened(viewer.url, { view: { soft: false, plot: false } });
  const download = page.waitForEvent('download');
  await page.click('#webm');
  await (await download).delete();
  assert.ok((await page.evaluate(() => window.granum.lastFilm)) > 1000);
  await page.close();
});

test('a link stores the view', async () => {
  const { page } = await opened(viewer.url, { view: { soft: false } });
  await page.mouse.move(300, 200);
  await page.mouse.down();
  await page.mouse.move(380, 240, { steps: 4 });
  await page.mouse.up();
  await page.selectOption('#colour', 'mass');
  await page.waitForFunction(() => location.hash.includes('mass') && location.hash.includes('camera'));
  const before = await page.evaluate(() => window.granum.camera.azimuth);
  const { page: other } = await opened(page.url().split('#')[0], { view: JSON.parse(decodeURIComponent(page.url().split('#')[1])) });
  const view = await other.evaluate(() => [window.granum.camera.azimuth, window.granum.options.colour]);
  assert.deepEqual(view, [before, 'mass']);
  await page.close();
  await other.close();
});

test('a damaged frame gives a message', async () => {
  const broken = join(work, 'broken');
  cpSync(run, broken, { recursive: true });
  truncateSync(join(broken, 'frames', 'frame_000003.vtp'), 100);
  truncateSync(join(broken, 'frames', 'frame_000004.vtp'), 4000);
  const server = await started('view', broken, '--no-open');
  const { page } = await opened(server.url);
  assert.match(await page.textContent('#message'), /frame_000003\.vtp .*left out/s);
  // The head of the other frame is complete, so that it is in the list.
  await page.evaluate(() => window.granum.show(4));
  await page.waitForFunction(() => /frame_000004\.vtp/.test(document.getElementById('message').textContent));
  await page.evaluate(() => window.granum.show(5));
  await page.waitForFunction(() => window.granum.number === 5);
  await page.close();
  server.stop();
  assert.equal(await server.ended, 0);
});

test('three pages at once show the same run', async () => {
  const pages = await Promise.all([0, 1, 2].map(() => opened(viewer.url, { view: { soft: false } })));
  await Promise.all(pages.map(({ page }, k) => page.evaluate((number) => window.granum.show(number), k)));
  const numbers = await Promise.all(pages.map(({ page }) => page.evaluate(() => window.granum.number)));
  assert.deepEqual(numbers, [0, 1, 2]);
  for (const { page, seen } of pages) {
    assert.deepEqual(seen.errors, []);
    await page.close();
  }
});

test('a run is shown while it proceeds, and paused, stepped and stopped', async () => {
  const out = join(work, 'live');
  const live = await started('run', 'scenes/everything.toml', '--view', '--no-open', '--out', out);
  const { page, seen } = await opened(live.url, { view: { soft: false } });
  const step = () => page.evaluate(() => window.granum.frame.step);
  const first = await step();
  await page.waitForFunction((known) => window.granum.isLive && window.granum.frame.step > known, first);
  await page.click('#pause');
  await page.waitForFunction(() => window.granum.isPaused);
  // The last state before the pause may still be on its way.
  await page.waitForTimeout(1500);
  const paused = await step();
  await page.click('#step');
  await page.waitForFunction((known) => window.granum.frame.step === known + 1, paused);
  await page.click('#pause');
  await page.waitForFunction((known) => window.granum.frame.step > known + 1, paused);
  await keep(page, 'live');
  await page.click('#stop');
  await page.waitForFunction(() => window.granum.isOver);
  assert.deepEqual(seen.errors, []);
  await page.close();
  live.stop();
  assert.equal(await live.ended, 0);
  assert.equal(JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')).status, 'interrupted');
});

test('a viewer does not change a bit of a run', async () => {
  const hash = (folder) => JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')).state_hash;
  const [plain, shown] = [join(work, 'plain'), join(work, 'shown')];
  const words = ['run', 'scenes/first_run.toml', '--until', '20 ms', '--out'];
  granum(...words, plain, '--quiet');
  const live = await started(...words, shown, '--view', '--no-open');
  const { page } = await opened(live.url, { view: { soft: false, forces: { on: true } } });
  await page.waitForFunction(() => window.granum.isOver);
  await page.close();
  while (!existsSync(join(shown, 'summary.json'))) await new Promise((resolve) => setTimeout(resolve, 50));
  live.stop();
  await live.ended;
  assert.equal(hash(shown), hash(plain));
});

test('an exported page opens without a server', async () => {
  const path = granum('export', run, '--to', 'html', '--out', join(work, 'page')).trim();
  const { page, seen } = await opened(pathToFileURL(path).href, { view: { colour: 'force' } });
  await page.evaluate(() => window.granum.show(2));
  await page.waitForFunction(() => window.granum.number === 2);
  const values = await page.evaluate(() => window.granum.values('force') !== null && window.granum.plot.table.time.length > 2);
  assert.ok(values);
  assert.deepEqual(seen, { errors: [], elsewhere: [] });
  await page.close();
});

test('exports as glTF are valid', async () => {
  const { default: validator } = await import('gltf-validator');
  const out = join(work, 'glb');
  for (const words of [['--frame', '3'], ['--frame', '4', '--bake'], ['--frame', 'all', '--detail', '1']]) {
    const path = granum('export', run, '--to', 'glb', '--out', out, ...words).trim();
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(path)));
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages.filter(({ severity }) => severity === 0).slice(0, 3)));
    console.log(`   ${words.join(' ')}: ${info.drawCallCount} draw calls, ${info.totalTriangleCount} triangles, ${info.animationCount} animations`);
  }
});

test('the server answers its own page only', async () => {
  assert.equal((await asked({ path: '/', headers: { Host: 'granum.example' } })).status, 421);
  assert.equal((await asked({ path: '/', headers: { Host: '127.0.0.1.example:80' } })).status, 421);
  for (const path of ['/../../../etc/passwd', '/api/frame/..%2f..%2fscene.toml', '/scene.toml', '/api/frame/-1', '/api/shapes/99999']) {
    const { status, text } = await asked({ path });
    assert.equal(status, 404, path);
    assert.ok(!text.includes('root:'));
  }
  assert.equal((await asked({ path: '/api/order/stop', method: 'POST' })).status, 403);
  assert.equal((await asked({ path: '/api/order/stop', method: 'POST', headers: { 'X-Granum': '1' } })).status, 409);
  assert.equal((await asked({ path: '/', method: 'DELETE' })).status, 405);
  const { headers } = await asked({ path: '/' });
  assert.match(headers['content-security-policy'], /default-src 'none'/);
  assert.equal(headers['access-control-allow-origin'], undefined);
});

test('dark mode, touch and the plot', async () => {
  const { page, seen } = await opened(viewer.url, { view: { theme: 'dark', colour: 'speed' } });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  const turned = await page.evaluate(async () => {
    const app = window.granum;
    const canvas = app.renderer.canvas;
    const before = [app.camera.azimuth, app.camera.distance];
    const send = (type, id, x, y) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: id, clientX: x, clientY: y, pointerType: 'touch', buttons: 1, bubbles: true }));
    canvas.setPointerCapture = () => {};
    send('pointerdown', 1, 100, 100);
    send('pointermove', 1, 160, 100);
    send('pointerdown', 2, 300, 100);
    send('pointermove', 2, 420, 100);
    send('pointerup', 1, 160, 100);
    send('pointerup', 2, 420, 100);
    return [app.camera.azimuth !== before[0], app.camera.distance < before[1]];
  });
  assert.deepEqual(turned, [true, true]);
  const plot = await page.locator('#plot').boundingBox();
  await page.mouse.click(plot.x + 60, plot.y + 60);
  await page.waitForFunction(() => window.granum.number === 0);
  await keep(page, 'dark');
  assert.deepEqual(seen.errors, []);
  await page.close();
});

// The whole file must fail and not hang if a page does not answer.
setTimeout(() => process.exit(1), 10 * PATIENCE).unref();
