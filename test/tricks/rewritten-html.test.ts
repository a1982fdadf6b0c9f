/** Of rewritten HTML every word is seen in a browser, in the order of the review. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { rewriteHtml } from '../../src/mail/html/outgoing/rewrite-html.ts';
import { missingCorpora } from '../corpus/corpora.ts';
import { type Chromium, launchChromium } from '../harness/http/chromium.ts';
import { rounds } from '../harness/long-form.ts';
import { createChance, mutate, ordinaryPages, trickOf, tricks } from './tricks.ts';

const MUTATIONS = rounds(200, 1_000);
const SEED = 20_261_123;

let chromium: Chromium;
t.before(async () => {
  chromium = await launchChromium();
});
t.teardown(() => chromium[Symbol.asyncDispose]());

/**
 * Runs in the browser: what the page reads, and which of its words cannot be seen: too small, of the colour behind them,
 * off the page to the left or far to the right, or under another element.
 */
const READ = `(html) => {
  document.open(); document.write(html); document.close();
  for (const image of [...document.images]) image.replaceWith(' ' + image.alt + ' ');
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].reduce((sum, channel, at) => {
    const part = channel / 255;
    return sum + [0.2126, 0.7152, 0.0722][at] * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const faults = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!/[\\p{L}\\p{N}]/u.test(node.data)) continue;
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    const range = document.createRange();
    range.selectNodeContents(node);
    const rect = [...range.getClientRects()].find(({ width }) => width > 0);
    const name = node.data.trim().slice(0, 20);
    if (!rect) { faults.push('no box: ' + name); continue; }
    if (parseFloat(style.fontSize) < 9.9) faults.push('small: ' + name);
    const [dark, light] = [luminance(channels(style.color)), luminance(backgroundOf(parent))].sort((a, b) => a - b);
    if ((light + 0.05) / (dark + 0.05) < 1.45) faults.push('colour: ' + name + style.color + backgroundOf(parent));
    if (rect.left < -1) faults.push('off: ' + name);
    const [x, y] = [rect.left + Math.min(rect.width / 2, 4), rect.top + rect.height / 2];
    const over = x < innerWidth && y < innerHeight ? document.elementFromPoint(x, y) : null;
    if (over && over !== parent && !over.contains(parent) && !parent.contains(over)) faults.push('covered: ' + name);
  }
  return { text: document.body?.innerText ?? '', faults };
}`;

const WORDS = /\p{L}+|\p{N}+/gu;
const wordsOf = (text: string): string[] => text.match(WORDS) ?? [];

/** The review has the addresses of links in brackets beside the words, and the numbers of lists. */
const withoutAddresses = (text: string, html: string): string => {
  let kept = text;
  for (const [, href = ''] of html.matchAll(/ href="([^"]*)"/g)) {
    const address = href.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
    for (const each of [address, address.replace(/^mailto:/, '').replace(/\?.*$/, '')]) {
      kept = kept.replaceAll(` [${each}]`, ' ');
    }
  }
  return kept;
};

/** Whether the words are the same, but for numbers of lists that the browser leaves out. */
const isSameReading = (seen: readonly string[], reviewed: readonly string[]): boolean => {
  let at = 0;
  for (const word of reviewed) {
    if (seen[at] === word) at += 1;
    else if (!/^\p{N}{1,6}$/u.test(word)) return false;
  }
  return at === seen.length;
};

type Look = { text: string; faults: string[] };

/** One after the other, within one task of the browser: it lays them out, and paints none. */
const look = (page: Page, htmls: readonly string[]): Promise<Look[]> =>
  page.evaluate(`${JSON.stringify(htmls)}.map(${READ})`);

const check = async (pages: readonly (readonly [name: string, html: string])[]): Promise<string[]> => {
  const { page, strayRequests } = await chromium.open({ viewport: { width: 1_280, height: 6_000 } });
  const rewritten = pages.map(([name, given]) => ({ name, ...rewriteHtml(given) }));
  const looks = await look(
    page,
    rewritten.map(({ html }) => html),
  );
  const faults: string[] = [];
  for (const [at, { name, html, text }] of rewritten.entries()) {
    const seen = looks[at] ?? { text: '', faults: ['not looked at'] };
    for (const fault of seen.faults) faults.push(`${name}: ${fault}`);
    const [words, reviewed] = [wordsOf(seen.text), wordsOf(withoutAddresses(text, html))];
    // Words that break between two elements stand in two lines for a browser.
    if (words.join('') !== reviewed.join('') && !isSameReading(words, reviewed)) {
      const from = words.findIndex((word, index) => word !== reviewed[index]);
      const shown = [words, reviewed].map((each) => each.slice(from, from + 8).join(' '));
      faults.push(`${name}: seen ${shown[0]}, reviewed ${shown[1]}`);
    }
    const again = rewriteHtml(html);
    if (again.text !== text || again.changed.length > 0) faults.push(`${name}: changes again: ${again.changed}`);
  }
  const loaded = strayRequests.filter((url) => !/^(?:https|cid):/.test(url));
  return [...faults, ...loaded];
};

t.test('a browser shows what is not rewritten otherwise', async (t) => {
  const { page } = await chromium.open({ viewport: { width: 1_280, height: 6_000 } });
  const names = ['covered', 'letters shrunk', 'the same colour', 'moved', 'covered by a padding in a line'];
  for (const [at, { faults }] of (await look(page, names.map(trickOf))).entries())
    t.not(faults.length, 0, `${names[at]}`);
});

t.test('no trick hides, covers, moves or writes a word', async (t) => {
  t.same(await check(tricks()), []);
});

t.test('what is ordinary, and changed by chance, is read as it is reviewed', { skip: missingCorpora }, async (t) => {
  const pages = await ordinaryPages();
  t.same(await check(pages.map((page, at) => [`page ${at}`, page] as const)), []);
  const chance = createChance(SEED);
  const pick = (): string => pages[chance(pages.length)] ?? '';
  const mutations = Array.from(
    { length: MUTATIONS },
    (_, at) => [`mutation ${at}`, mutate(pick(), pick(), chance)] as const,
  );
  t.same(await check(mutations), []);
});
