/** Each screen of a filled console, light and dark, desktop and phone: axe finds nothing, nothing scrolls sideways or strays. */

import t from 'tap';
import { type Chromium, launchChromium } from '../harness/http/chromium.ts';
import { FILLED, fillConsole, SLUG } from '../harness/http/filled-console.ts';
import { startInstance, type TestInstance } from '../harness/instance.ts';
import { isFitInLooks, settled, signInTo } from './fit.ts';

const MINUTE = 60_000;
/** A browser asks more of it in a minute here than a person does. */
const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
const passTime = (): void => {
  clock.ahead += MINUTE / 4;
};

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
  '/console/vault',
  '/console/domains',
  '/console/domains/halden.test',
  '/console/queue',
  '/console/people',
  '/console/activity',
  '/console/you',
  '/console/no-such-screen',
];

const MAIN = new Set(['/console/', '/console/approvals', '/console/agents/billing/settings']);

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
    await isFitInLooks(t, visitor, path, MAIN.has(path), passTime);
  }

  t.same(instance.faults, []);
});
