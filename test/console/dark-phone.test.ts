/** The screens that walks look at in daylight, on a desktop: here dark, on a phone. */

import t from 'tap';
import { PHONE } from '../harness/http/chromium.ts';
import { SLUG } from '../harness/http/filled-console.ts';
import { openFilled } from './filled.ts';
import { isFit, settled, signInTo } from './fit.ts';

const filled = openFilled(t);

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
  const { chromium, instance, passTime } = filled;
  const visitor = await signInTo(chromium, instance, { viewport: PHONE, colorScheme: 'dark' }, SLUG);
  const { context, page } = visitor;
  t.teardown(() => context.close());
  for (const path of WALKED) {
    passTime();
    await page.goto(new URL(path, instance.baseUrl).href);
    await settled(page);
    await isFit(t, visitor, path);
  }
  t.same(instance.faults, []);

  const heightOf = async (name: string): Promise<number> =>
    (await page.getByRole('button', { name, exact: true }).first().boundingBox())?.height ?? 0;
  passTime();
  await page.goto(new URL('/console/approvals', instance.baseUrl).href);
  await page.getByRole('article').getByText('1 of 3').waitFor();
  const raw = await page.getByRole('link', { name: 'Raw source' }).boundingBox();
  t.ok(raw && raw.height >= 24, 'WCAG 2.2, 2.5.8');
  await page.goto(new URL('/console/suppressions', instance.baseUrl).href);
  await page.getByRole('button', { name: 'Suppress' }).click();
  t.ok((await heightOf('Cancel')) >= 40);
  await page.keyboard.press('Escape');
  await page.goto(new URL('/console/domains/halden.test', instance.baseUrl).href);
  await page.getByText('DKIM, Ed25519').first().waitFor();
  t.ok(
    await page.getByRole('heading', { level: 1 }).evaluate((title) => title.scrollWidth <= title.clientWidth),
    'the name is whole',
  );
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
});
