/** What every screen of the console has to hold, and how a person gets into it. */

import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import {
  type Chromium,
  DESKTOP,
  isFit as isPageFit,
  PHONE,
  type Style,
  type Visitor,
} from '../harness/http/chromium.ts';
import { printedLink } from '../harness/http/owner.ts';
import type { TestInstance } from '../harness/instance.ts';
import { orFew } from '../harness/long-form.ts';
import { eventually } from '../harness/smtp/send-mail.ts';

/** Between two periodic refreshes of the console, in milliseconds. */
export const A_LOOK = 15_000;

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Waits until these words are shown, as after an act. */
export const said = (page: Page, text: string): Promise<void> =>
  page.getByText(text, { exact: true }).first().waitFor();

/** Presses a button of the open dialog, which closes. @param title where it is over another one */
export const press = async (page: Page, name: string, title?: RegExp): Promise<void> => {
  const dialog = page.getByRole('dialog', title && { name: title });
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
};

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Waits until nothing of the screen is loading. */
export const settled = async (page: Page): Promise<void> => {
  await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
};

/** Goes to a path as a link of the console does: to load all of the console again costs three times as much. */
export const step = async (page: Page, path: string): Promise<void> => {
  // The console's router hears of it; what it draws at once is there when this has resolved.
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  await settled(page);
};

const screenOf = (url: string): string | undefined => new URL(url).pathname.split('/')[2];

/** Goes to an address of the console, by a step where the page shows the console already. */
export const goTo = async (page: Page, url: string): Promise<void> => {
  const { origin, pathname, search } = new URL(url);
  if (page.url().startsWith(`${origin}/console/`)) {
    // The same screen would not ask for its data again.
    if (screenOf(page.url()) === screenOf(url)) await step(page, '/console/no-such-screen');
    return step(page, pathname + search);
  }
  await page.goto(url);
  await settled(page);
};

/** Equal, at the latest after a while: what a screen shows follows an act in a moment. */
export const isSoon = async <T>(t: Test, read: () => Promise<T>, wanted: T, about = 'it shows'): Promise<void> => {
  let found: T | undefined;
  const isSame = async (): Promise<boolean> => {
    found = await read();
    return isDeepStrictEqual(found, wanted);
  };
  // What was found instead is said below.
  await eventually(isSame).catch(() => undefined);
  t.same(found, wanted, about);
};

/** As every page, once nothing of it is loading. */
export const isFit = async (t: Test, visitor: Visitor, about: string, style?: Style): Promise<void> => {
  await settled(visitor.page);
  await isPageFit(t, visitor, about, style);
};

/** To be added before a page loads: counts what moves on it unasked. */
export const WATCH_SHIFTS = `
  globalThis.shifts = { sum: 0, of: [] };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      shifts.sum += value;
      shifts.of.push(...sources.map(({ node }) => node?.className || node?.nodeName));
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** What moved before does not count from here on. */
export const forgetShifts = (page: Page): Promise<void> => page.evaluate('Object.assign(shifts, { sum: 0, of: [] })');

/** Cumulative Layout Shift under 0.01, a tenth of what counts as good. */
export const isStill = async (t: Test, page: Page, about: string): Promise<void> => {
  const { sum, of } = await page.evaluate<{ sum: number; of: string[] }>('globalThis.shifts');
  t.ok(sum < 0.01, `${about}: nothing moves while it loads, not ${sum} by ${of.join(', ')}`);
};

export const LIGHT = { name: 'light', viewport: DESKTOP, colorScheme: 'light' } as const;
export const DARK_PHONE = { name: 'dark, on a phone', viewport: PHONE, colorScheme: 'dark' } as const;
export const LOOKS = [
  LIGHT,
  DARK_PHONE,
  { name: 'dark', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'light, on a phone', viewport: PHONE, colorScheme: 'light' },
] as const;
type Look = (typeof LOOKS)[number];

/**
 * @param few in the short form; the long one takes all
 * @param passTime each look asks for what the frames show once more, which is counted by the minute
 */
export const isFitInLooks = async (
  t: Test,
  visitor: Visitor,
  about: string,
  few: readonly Look[],
  passTime: () => void,
): Promise<void> => {
  passTime();
  for (const { name, viewport, colorScheme } of orFew<Look>(LOOKS, few)) {
    await visitor.page.emulateMedia({ colorScheme });
    await visitor.page.setViewportSize(viewport);
    await isFit(t, visitor, `${about}: ${name}`, 'judged');
  }
  await visitor.page.emulateMedia({ colorScheme: 'light' });
  await visitor.page.setViewportSize(DESKTOP);
};

/** In the page alone, not in frames of mail; a person may go on to another workspace. */
const showWorkspace = (slug: string): string =>
  `if (self === top) sessionStorage['postroom-workspace'] ??= ${JSON.stringify(slug)}`;

/**
 * Signs in by a printed link, without its page. No page is open yet.
 * @param slug the workspace that is shown
 * @param isFirstTime whether Home has the list of first steps
 */
export const signInTo = async (
  chromium: Chromium,
  instance: TestInstance,
  options: Parameters<Chromium['open']>[0],
  slug: string,
  email?: string,
  isFirstTime = false,
): Promise<Visitor> => {
  const visitor = await chromium.open(options);
  const post = async (path: string, headers: Record<string, string>, more: object): Promise<void> => {
    const { href } = new URL(path, instance.baseUrl);
    const all = { headers: { 'sec-fetch-site': 'same-origin', ...headers }, ...more };
    const answer = await visitor.context.request.post(href, all);
    if (answer.status() >= 400) throw new Error(`${path} answered ${answer.status()}.`);
  };
  await post(await printedLink(instance, email), { origin: 'null' }, { form: {}, maxRedirects: 0 });
  if (!isFirstTime) await post('/console/api/setUp/putAway', { 'x-workspace': slug }, { data: {} });
  await visitor.page.addInitScript(showWorkspace(slug));
  return visitor;
};

/**
 * Answers requests of a page in the server's place, from its next request on: a busy browser says that it does before it
 * does, and sends a few as ever.
 */
export const intercept = async (page: Page, ...[path, answer]: Parameters<Page['route']>): Promise<void> => {
  let isCaught = false;
  await page.route(path, answer);
  await page.route('**/caught', (route) => {
    isCaught = true;
    return route.fulfill();
  });
  // No path leads anywhere where no page is open yet.
  const ask = `fetch(location.origin === 'null' ? 'http://localhost/caught' : '/caught', { mode: 'no-cors' })`;
  while (!isCaught) await page.evaluate(`${ask}.then(() => true, () => false)`);
};

/** Answers of an operation wait until they are let go. */
export const withhold = async (page: Page, call: string): Promise<() => Promise<void>> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const path = `**/console/api/${call}`;
  await intercept(page, path, async (route) => {
    await promise;
    await route.continue();
  });
  return async () => {
    const answered = page.waitForResponse(path);
    resolve();
    await (await answered).finished();
  };
};

/** What the browser asks before the page goes; the person stays, or goes. */
export const listQuestions = (page: Page, answer: 'stay' | 'go'): string[] => {
  const questions: string[] = [];
  page.on('dialog', (question) => {
    questions.push(question.type());
    void (answer === 'stay' ? question.dismiss() : question.accept());
  });
  return questions;
};
