/** Each screen of a filled console, light and dark, desktop and phone: axe finds nothing, nothing scrolls sideways or strays. */

import t from 'tap';
import { SLUG } from '../harness/http/filled-console.ts';
import { openFilled } from './filled.ts';
import { isFitInLooks, settled, signInTo } from './fit.ts';

const filled = openFilled(t);
const { passTime } = filled;

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
  const visitor = await signInTo(filled.chromium, filled.instance, {}, SLUG);
  const { context, page } = visitor;
  t.teardown(() => context.close());
  const open = async (path: string): Promise<void> => {
    await page.goto(new URL(path, filled.instance.baseUrl).href);
    await settled(page);
  };
  for (const path of PATHS) {
    await open(path);
    await isFitInLooks(t, visitor, path, MAIN.has(path), passTime);
  }

  t.same(filled.instance.faults, []);
});
