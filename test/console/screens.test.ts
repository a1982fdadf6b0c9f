/** Each screen of a filled console, light and dark, desktop and phone: axe finds nothing, nothing scrolls sideways or strays. */

import t from 'tap';
import { isFitInLooks } from './fit.ts';
import { startFilledConsole } from './started.ts';

const started = startFilledConsole(t);
const { passTime, visit } = started;

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
  const visitor = await started.signIn();
  const { context, page } = visitor;
  t.teardown(() => context.close());
  for (const path of PATHS) {
    await visit(page, path);
    await isFitInLooks(t, visitor, path, MAIN.has(path), passTime);
  }

  t.same(started.instance.faults, []);
});
