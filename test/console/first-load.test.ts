/** What a browser loads first: how much it is, how it is compressed and kept, and what stands at the paths beside it. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRuntime } from '../../src/app/instance.ts';
import type { Address } from '../../src/kernel/address.ts';
import { createIdSource } from '../../src/kernel/ids.ts';
import { findRecipient } from '../../src/store/accounts/recipient-lookup.ts';
import { launchChromium } from '../harness/http/chromium.ts';
import { signInOwner } from '../harness/http/owner.ts';
import { startInstance } from '../harness/instance.ts';
import { storeMails } from '../harness/stored-mail.ts';
import { isSoon, signInTo } from './fit.ts';

const MOST_BYTES = 70_000;
const MAILS = 10_000;

t.test('the first load is small, compressed and kept; the screen does not wait for the mail', async (t) => {
  await using instance = await startInstance();
  await using chromium = await launchChromium();
  const newId = createIdSource(systemRuntime.clock, systemRuntime.random);
  await instance.inStore(async (store) => {
    const found = await findRecipient(store.read, instance.agents.ann.address as Address);
    if (!found) throw new Error('ann has no mailbox.');
    await storeMails(store, newId, found.mailboxId, MAILS, (n) => ({ subject: `Mail ${n}`, body: 'Words.' }));
  });
  const { context, page, strayRequests, faults } = await signInTo(chromium, instance, {}, 'acme');
  const fresh = await chromium.open();
  await fresh.context.addCookies(await context.cookies());
  const loading: Promise<{ path: string; bytes: number; encoding: string | undefined; kept: string | undefined }>[] =
    [];
  fresh.page.on('response', (response) => {
    const { pathname: path } = new URL(response.url());
    if (!path.startsWith('/console/assets/')) return;
    const { 'content-encoding': encoding, 'cache-control': kept } = response.headers();
    const sizes = response.request().sizes();
    loading.push(sizes.then(({ responseBodySize: bytes }) => ({ path, bytes, encoding, kept })));
  });
  const missing: string[] = [];
  fresh.page.on('response', (response) => {
    if (response.status() === 404) missing.push(response.url());
  });
  await fresh.page.goto(new URL('/console/', instance.baseUrl).href);
  await fresh.page.getByRole('link', { name: 'ann' }).first().waitFor();
  await fresh.page.getByText('Nothing needs you').waitFor();
  const began = await fresh.page.evaluate<number>('performance.getEntriesByType("paint").at(-1).startTime');
  const assets = await Promise.all(loading);
  const total = assets.reduce((sum, { bytes }) => sum + bytes, 0);
  t.ok(assets.length > 1);
  t.ok(total < MOST_BYTES, `${total} bytes`);
  t.comment(`first load ${total} bytes compressed, painted after ${Math.round(began)} ms with ${MAILS} messages`);
  for (const { path, encoding, kept, bytes } of assets) {
    if (bytes > 2_000) t.equal(encoding, 'br', path);
    t.match(kept, /immutable/, path);
  }
  t.same([strayRequests, faults, fresh.faults, missing], [[], [], [], []]);
  const icon = await fresh.page.evaluate<string>("document.querySelector('link[rel=icon]').href");
  t.equal((await fetch(icon)).headers.get('content-type'), 'image/svg+xml');
  const manifest = await fetch(await fresh.page.evaluate<string>("document.querySelector('link[rel=manifest]').href"));
  t.match(manifest.headers.get('content-type'), /^application\/manifest\+json/);
  t.match(await manifest.json(), { display: 'standalone', start_url: '/console/', scope: '/console/' }, 'push on iOS');
  await page.goto(new URL('/console/agents/ann', instance.baseUrl).href);
  await page.getByRole('navigation', { name: 'Threads' }).waitFor();
  const threads = page.getByRole('navigation', { name: 'Threads' }).getByRole('link');
  await isSoon(t, () => threads.count(), 50, 'a page of many');
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('page 2').waitFor();
});

t.test('a browser that is too old for the script is told so', async (t) => {
  await using instance = await startInstance();
  await using chromium = await launchChromium();
  const { page } = await signInTo(chromium, instance, {}, 'acme');
  const words = page.getByText('It needs Chrome or Edge 123, Firefox 125, Safari 17.5, or a newer browser');
  const build = readFileSync(join(import.meta.dirname, '../../scripts/build-console.ts'), 'utf8');
  t.match(build, "target: ['chrome123', 'firefox125', 'safari17.5']", 'as it is built for');
  // As before Chrome 123.
  await page.addInitScript('CSS.supports = () => false');
  await page.goto(new URL('/console/', instance.baseUrl).href);
  t.equal(await words.isVisible(), false, 'not while the script may still come');
  await page.evaluate('document.getAnimations().forEach((each) => each.finish())');
  await words.waitFor();
  await page.addInitScript('CSS.supports = () => true');
  await page.reload();
  await page.getByRole('link', { name: 'ann' }).first().waitFor();
  t.equal(await words.count(), 0);
});

t.test('what is not there is said, and no file beside the build is served', async (t) => {
  await using instance = await startInstance();
  const owner = await signInOwner(instance);
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, instance.baseUrl), {
      redirect: 'manual',
      headers: { cookie: owner.cookie ?? '', accept: 'text/html', ...headers },
    });
  t.ok(existsSync(join(import.meta.dirname, '../../build/console/index.html')), 'npm run build:console has built it');
  const shell = await get('/console/agents/ann/messages/x');
  t.equal(shell.status, 200);
  t.match(shell.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self'; style-src 'self';/);
  t.notMatch(shell.headers.get('content-security-policy'), /unsafe|\*/);
  t.equal(shell.headers.get('cache-control'), 'no-store');
  const html = await shell.text();
  t.notMatch(html, /<script(?![^>]*src=)|<style|style=| on\w+=/, 'nothing inline');
  for (const path of [
    '/console/assets/none.js',
    '/console/assets/..%2findex.html',
    '/console/assets/%2e%2e/built-from',
  ]) {
    const response = await get(path);
    t.ok(response.status === 404 || !/^[0-9a-f]{64}$/.test(await response.text()), path);
  }
  t.equal((await get('/console/api/none')).status, 404);
  const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? '';
  const plain = await get(script, { 'accept-encoding': 'identity' });
  t.same([plain.status, plain.headers.get('content-encoding')], [200, null]);
  const zipped = await get(script, { 'accept-encoding': 'gzip' });
  t.equal(zipped.headers.get('content-encoding'), 'gzip');
  t.equal(await zipped.text(), await plain.text());
  t.same(instance.faults, []);
});
