/** Each screen of a filled console, light and dark, desktop and phone: axe finds nothing, nothing scrolls sideways or strays. */

import t, { type Test } from 'tap';
import { type Chromium, DESKTOP, launchChromium, PHONE, type Visitor } from '../harness/http/chromium.ts';
import { FILLED, fillConsole, SLUG } from '../harness/http/filled-console.ts';
import { startInstance, type TestInstance } from '../harness/instance.ts';
import { isFit, settled, signInTo } from './fit.ts';

const MINUTE = 60_000;
/** A browser asks more of it in a minute here than a person does. */
const clock = { ahead: 0, now: () => Date.now() + clock.ahead };

let chromium: Chromium;
let instance: TestInstance;
t.before(async () => {
  [chromium, instance] = await Promise.all([launchChromium(), startInstance({ ...FILLED, runtime: { clock } })]);
  await fillConsole(instance);
});
t.teardown(() => Promise.all([chromium[Symbol.asyncDispose](), instance[Symbol.asyncDispose]()]));

const PATHS = [
  '/console/',
  '/console/approvals',
  '/console/agents',
  '/console/agents?new',
  '/console/agents/billing',
  '/console/agents/billing/settings',
  '/console/queue',
  '/console/people',
  '/console/activity',
  '/console/you',
  '/console/no-such-screen',
];

const MAIN = new Set(['/console/', '/console/approvals', '/console/agents/billing/settings']);

/** Colours and layouts, each in two of them; the screens with most of both in all four. */
const LOOKS = [
  { name: 'light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'dark, on a phone', viewport: PHONE, colorScheme: 'dark' },
] as const;
const OTHER_LOOKS = [
  { name: 'dark', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'light, on a phone', viewport: PHONE, colorScheme: 'light' },
] as const;

const isFitInLooks = async (t: Test, visitor: Visitor, about: string, isMain = false): Promise<void> => {
  // Each look asks for what the frames show once more.
  clock.ahead += MINUTE / 4;
  for (const { name, viewport, colorScheme } of [...LOOKS, ...(isMain ? OTHER_LOOKS : [])]) {
    await visitor.page.emulateMedia({ colorScheme });
    await visitor.page.setViewportSize(viewport);
    await isFit(t, visitor, `${about}: ${name}`);
  }
  await visitor.page.emulateMedia({ colorScheme: 'light' });
  await visitor.page.setViewportSize(DESKTOP);
};

t.test('every screen is fit to be used', async (t) => {
  const visitor = await signInTo(chromium, instance, {}, SLUG);
  const { context, page } = visitor;
  t.teardown(() => context.close());
  const open = async (path: string): Promise<void> => {
    await page.goto(new URL(path, instance.baseUrl).href);
    await settled(page);
  };
  for (const path of PATHS) {
    await open(path);
    await isFitInLooks(t, visitor, path, MAIN.has(path));
  }

  await open('/console/agents/billing');
  await page.getByRole('link', { name: /Access to the supplier portal/ }).click();
  await page.getByText('One-time code found').waitFor();
  await isFitInLooks(t, visitor, 'a thread', true);
  await page.getByRole('button', { name: 'Raw source' }).first().click();
  await page.getByRole('dialog').getByText('multipart/mixed').waitFor();
  await isFitInLooks(t, visitor, 'the raw source');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await open('/console/approvals');
  await page.getByRole('button', { name: 'Decided' }).click();
  await isFitInLooks(t, visitor, 'what was decided');
  await open('/console/');
  await page.getByRole('button', { name: 'As a table' }).click();
  await isFitInLooks(t, visitor, 'the counts as a table');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('sal');
  await isFitInLooks(t, visitor, 'the palette');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/agents/sales');
  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'More' }).click();
  await page.locator('#drawer').getByRole('link', { name: 'Activity' }).waitFor();
  await isFit(t, visitor, 'the drawer');
  t.same(instance.faults, []);
});
