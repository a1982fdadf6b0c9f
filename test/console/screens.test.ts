/** Each screen of a filled console, light and dark, desktop and phone: axe finds nothing, nothing scrolls sideways or strays. */

import t from 'tap';
import { PHONE } from '../harness/http/chromium.ts';
import { isFitInLooks, isStill, WATCH_SHIFTS } from './fit.ts';
import { startFilledConsole } from './started.ts';

const started = startFilledConsole(t);
const { passTime, visit } = started;

const PATHS = [
  '/console/',
  '/console/approvals',
  '/console/agents',
  '/console/agents?new',
  '/console/agents/billing',
  '/console/agents/billing/day',
  '/console/agents/billing/settings',
  '/console/mail',
  '/console/contacts',
  '/console/knowledge',
  '/console/vault',
  '/console/domains',
  '/console/domains/halden.test',
  '/console/queue',
  '/console/health',
  '/console/people',
  '/console/activity',
  '/console/you',
  '/console/no-such-screen',
];

/** Axe looks at these elsewhere, with what they are about. */
const OTHERS = [
  '/console/contacts/lists',
  '/console/contacts/duplicates',
  '/console/contacts/import',
  '/console/notes',
  '/console/webhooks',
  '/console/suppressions',
  '/console/connections',
  '/console/plan',
  '/console/instance',
];

const MAIN = new Set(['/console/', '/console/approvals', '/console/agents/billing/settings']);

t.test('every screen is fit to be used', async (t) => {
  const visitor = await started.signIn();
  const { context, page } = visitor;
  t.teardown(() => context.close());
  await page.addInitScript(WATCH_SHIFTS);
  for (const path of [...PATHS, ...OTHERS]) {
    passTime();
    await visit(page, path);
    await isStill(t, page, path);
    t.equal(await page.locator('h1:visible').count(), 1, `${path}: one heading of the page`);
    if (OTHERS.includes(path)) continue;
    await isFitInLooks(t, visitor, path, MAIN.has(path), passTime);
  }
  t.same(started.instance.faults, []);
});

t.test('nothing moves on a phone while it loads', async (t) => {
  const { context, page } = await started.signIn({ viewport: PHONE });
  t.teardown(() => context.close());
  await page.addInitScript(WATCH_SHIFTS);
  for (const path of [...PATHS, ...OTHERS]) {
    passTime();
    await visit(page, path);
    await isStill(t, page, path);
  }
});
