/** Each screen of a filled console, light and dark, desktop and phone: axe finds nothing, nothing moves, scrolls sideways or strays. */

import t from 'tap';
import { PHONE } from '../harness/http/chromium.ts';
import { orFew } from '../harness/long-form.ts';
import { DARK_PHONE, isFit, isStill, LIGHT, LOOKS, WATCH_SHIFTS } from './fit.ts';
import { startFilledConsole } from './started.ts';

const started = startFilledConsole(t);
const { at, passTime, visit } = started;

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
  '/console/contacts/lists',
  '/console/contacts/duplicates',
  '/console/contacts/import',
  '/console/notes',
  '/console/webhooks',
  '/console/suppressions',
  '/console/connections',
  '/console/plan',
  '/console/instance',
  '/console/no-such-screen',
];

const MAIN = new Set(['/console/', '/console/approvals', '/console/agents/billing/settings']);

for (const [turn, { name, ...options }] of orFew(LOOKS, [LIGHT, DARK_PHONE]).entries()) {
  t.test(`every screen is fit to be used: ${name}`, async (t) => {
    const visitor = await started.signIn(options);
    const { context, page } = visitor;
    t.teardown(() => context.close());
    await page.addInitScript(WATCH_SHIFTS);
    // The short form has each screen in one of two looks, in turn.
    const few = PATHS.filter((path, n) => n % 2 === turn || MAIN.has(path));
    for (const path of orFew(PATHS, few)) {
      passTime();
      await visit(page, path);
      await isStill(t, page, path);
      t.equal(await page.locator('h1:visible').count(), 1, `${path}: one heading of the page`);
      await isFit(t, visitor, path, 'judged');
    }
    t.same(started.instance.faults, []);
  });
}

t.test('on a phone what is pressed is large enough, and what is long is whole', async (t) => {
  const { context, page } = await started.signIn({ viewport: PHONE });
  t.teardown(() => context.close());
  const heightOf = async (name: string): Promise<number> =>
    (await page.getByRole('button', { name, exact: true }).first().boundingBox())?.height ?? 0;
  passTime();
  await page.goto(at('/console/approvals'));
  await page.getByRole('article').getByText('1 of 3').waitFor();
  const raw = await page.getByRole('link', { name: 'Raw source' }).boundingBox();
  t.ok(raw && raw.height >= 24, 'WCAG 2.2, 2.5.8');
  await page.goto(at('/console/suppressions'));
  await page.getByRole('button', { name: 'Suppress' }).click();
  t.ok((await heightOf('Cancel')) >= 40);
  await page.keyboard.press('Escape');
  await page.goto(at('/console/domains/halden.test'));
  await page.getByText('DKIM, Ed25519').first().waitFor();
  t.ok(
    await page.getByRole('heading', { level: 1 }).evaluate((title) => title.scrollWidth <= title.clientWidth),
    'the name is whole',
  );
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
});
