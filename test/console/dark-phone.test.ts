/** The screens that walks look at in daylight, on a desktop: here dark, on a phone. */

import t from 'tap';
import { PHONE } from '../harness/http/chromium.ts';
import { isFit } from './fit.ts';
import { startFilledConsole } from './started.ts';

const started = startFilledConsole(t);

/** Their walks: shared.test.ts, sending.test.ts. */
const WALKED = [
  '/console/contacts',
  '/console/contacts/import',
  '/console/contacts/duplicates',
  '/console/contacts/lists',
  '/console/notes',
  '/console/knowledge',
  '/console/webhooks',
  '/console/suppressions',
  '/console/connections',
  '/console/plan',
  '/console/instance',
];

t.test('what is walked is fit in the dark, on a phone', async (t) => {
  const { instance, passTime, at, visit } = started;
  const visitor = await started.signIn({ viewport: PHONE, colorScheme: 'dark' });
  const { context, page } = visitor;
  t.teardown(() => context.close());
  for (const path of WALKED) {
    passTime();
    await visit(page, path);
    await isFit(t, visitor, path);
  }
  t.same(instance.faults, []);

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
