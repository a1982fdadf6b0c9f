/** Debian's Chromium without its windows, driven by playwright-core: what the pages do in a real browser. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { isLong } from '../long-form.ts';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

export const DESKTOP = { width: 1280, height: 860 } as const;
export const PHONE = { width: 390, height: 844 } as const;
/** The narrowest at which nothing may scroll sideways (WCAG 2.2, 1.4.10). */
export const NARROWEST = { width: 320, height: 640 } as const;

export interface Chromium extends AsyncDisposable {
  /** A person with cookies of their own. */
  open(options?: BrowserContextOptions): Promise<Visitor>;
}

export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** What the pages asked of other hosts; none was reached. */
  strayRequests: string[];
  /** Scripts that failed, and what the Content-Security-Policy refused. */
  faults: string[];
}

const isLoopback = (url: string): boolean => /^(https?:\/\/(127\.0\.0\.1|localhost)[:/]|data:|blob:|about:)/.test(url);

/** Script runs as it is first compiled, on one thread: no page lives long enough for more to be worth its cost. */
const JAVASCRIPT = '--js-flags=--single-threaded --no-opt --no-maglev';
/** No name is looked up: what is not on loopback fails, also where a reply leads there. */
const ARGUMENTS = [
  '--no-sandbox',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  JAVASCRIPT,
];

/** A browser without anyone in it is kept for the next file of this process. */
const KEPT_MS = 1_000;
let browser: Promise<Browser> | null = null;
let users = 0;
let closing: NodeJS.Timeout | undefined;

const use = async (): Promise<Browser> => {
  users += 1;
  clearTimeout(closing);
  if (browser === null || !(await browser).isConnected()) {
    browser = chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  }
  return browser;
};

const leave = (): void => {
  users -= 1;
  if (users > 0) return;
  closing = setTimeout(async () => {
    const left = browser;
    browser = null;
    await (await left)?.close();
  }, KEPT_MS);
};

/** @throws where no Chromium is installed: `scripts/test-deps` brings it */
export const launchChromium = async (): Promise<Chromium> => {
  const own = await use();
  const contexts = new Set<BrowserContext>();
  return {
    open: async (options = {}) => {
      // A colour on its way to another would be judged half-way.
      const context = await own.newContext({ viewport: DESKTOP, reducedMotion: 'reduce', ...options });
      contexts.add(context);
      context.once('close', () => contexts.delete(context));
      const page = await context.newPage();
      const visitor: Visitor = { context, page, strayRequests: [], faults: [] };
      context.on('request', (request) => {
        if (!isLoopback(request.url())) visitor.strayRequests.push(request.url());
      });
      page.on('pageerror', (error) => visitor.faults.push(String(error)));
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to/i.test(message.text())) visitor.faults.push(message.text());
      });
      return visitor;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
      leave();
    },
  };
};

/** The short form of it: each page that is looked at reads it anew. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
// A frame of mail is its sender's to make readable; in one without scripts axe waits for ever. Only audio is asked for by
// `preload`, and no page has any.
const runAxe = (judgesStyle: boolean): string => `axe.run({ exclude: ['iframe[sandbox]'] }, {
  runOnly: ${JSON.stringify(WCAG)}, resultTypes: ['violations'], iframes: false, preload: false,
  rules: { 'target-size': { enabled: ${judgesStyle} }, 'color-contrast': { enabled: ${judgesStyle} } },
})`;

/**
 * Contrast and the size of targets: three quarters of axe's work. All screens share their colours and buttons, so those
 * that are walked through in each look show them.
 */
export type Style = 'judged' | 'judged at night';

/** What axe finds against WCAG 2.2 AA, one line each. */
export const findBarriers = async (page: Page, style: Style = 'judged at night'): Promise<string[]> => {
  // A page that was left took its axe with it.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<axe.AxeResults>(runAxe(style === 'judged' || isLong));
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(' ')})`);
};

/** CSS pixels by which the page is wider than its window; 0: nothing scrolls sideways. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** WCAG 2.2 AA by axe, no sideways scrolling at 320, nothing of another host, nothing that the policy refused. */
export const isFit = async (
  t: Test,
  { page, strayRequests, faults }: Visitor,
  about: string,
  style?: Style,
): Promise<void> => {
  t.same(await findBarriers(page, style), [], `${about}: axe`);
  const size = page.viewportSize();
  await page.setViewportSize(NARROWEST);
  t.equal(await sidewaysScroll(page), 0, `${about}: no sideways scrolling at 320`);
  if (size) await page.setViewportSize(size);
  t.same(strayRequests, [], `${about}: nothing of another host`);
  t.same(faults, [], `${about}: no script that failed, nothing refused`);
};
