// Helpers of the tests: runs of granum, its viewer, and the browser.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** The program and the root of the repository, from `cargo xtask viewer`. */
const { GRANUM, REPOSITORY, CHROMIUM } = process.env;

/** Switches for WebGL in software and for a browser that talks to nobody. */
const SWITCHES = [
  '--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

/** Longest time for something to happen, ms. The machine of the tests may be busy. */
export const PATIENCE = 60000;

export const work = mkdtempSync(join(tmpdir(), 'granum-viewer-'));

/** Runs the program to its end and returns its output. @param {string[]} words */
export function granum(...words) {
  return execFileSync(GRANUM, words, { cwd: REPOSITORY, encoding: 'utf8' });
}

/** Starts the program and returns the address that it prints. @param {string[]} words */
export async function started(...words) {
  const process = spawn(GRANUM, words, { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const ended = new Promise((resolve) => process.on('exit', (code) => resolve(code)));
  const url = await new Promise((resolve, reject) => {
    process.stdout.on('data', (part) => {
      text += part;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (found) resolve(found[0]);
    });
    process.on('exit', () => reject(new Error(`granum has ended: ${text}`)));
  });
  return { url, ended, id: process.pid, stop: () => process.kill('SIGINT'), output: () => text };
}

let browser;

/** Opens a page, and collects its errors and what it asks for elsewhere. @param {string} url @param {object} [options] */
export async function opened(url, options = {}) {
  const profile = join(work, 'profile');
  browser ??= await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, args: SWITCHES, viewport: { width: 900, height: 640 } });
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  const seen = { errors: [], elsewhere: [] };
  page.on('pageerror', (error) => seen.errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && seen.errors.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(url.replace(/[^/]*$/, '')) && !/^(data|blob):/.test(request.url())) seen.elsewhere.push(request.url());
  });
  await page.goto(url + (options.view ? `#${encodeURIComponent(JSON.stringify(options.view))}` : ''));
  if (!options.impatient) await page.waitForFunction(() => window.granum?.firstPicture > 0);
  return { page, seen };
}

/** Ends everything. */
export async function finish() {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
}
