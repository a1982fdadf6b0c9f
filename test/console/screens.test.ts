/** Each screen of a filled console and what opens on it, light and dark, desktop and phone: axe finds nothing, nothing moves, scrolls sideways or strays. */

import t from 'tap';
import { DESKTOP, PHONE } from '../harness/http/chromium.ts';
import { isLong, orFew } from '../harness/long-form.ts';
import { DARK_PHONE, forgetShifts, isFit, isFitInLooks, isStill, LIGHT, LOOKS, step, WATCH_SHIFTS } from './fit.ts';
import { startFilledConsole } from './started.ts';

const started = startFilledConsole(t);
const { go, passTime, visit } = started;

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

for (const [turn, { name, viewport, colorScheme }] of orFew(LOOKS, [LIGHT, DARK_PHONE]).entries()) {
  t.test(`every screen is fit to be used: ${name}`, async (t) => {
    // One person: a link for another one would be out of date by the clock that the long form has moved.
    const visitor = await started.person();
    const { page } = visitor;
    if (turn === 0) await page.addInitScript(WATCH_SHIFTS);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    // The short form has each screen in one of two looks, in turn.
    const few = PATHS.filter((path, n) => n % 2 === turn || MAIN.has(path));
    for (const path of orFew(PATHS, few)) {
      passTime();
      // The short form loads the console once, and then each screen in it.
      if (isLong || path === PATHS[0]) await visit(page, path);
      else {
        await forgetShifts(page);
        await step(page, path);
      }
      await isStill(t, page, path);
      t.equal(await page.locator('h1:visible').count(), 1, `${path}: one heading of the page`);
      await isFit(t, visitor, path, 'judged');
    }
    t.same(started.instance.faults, []);
  });
}

t.test('on a phone what is pressed is large enough, and what is long is whole', async (t) => {
  const { page } = await started.person();
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'light' });
  const heightOf = async (name: string): Promise<number> =>
    (await page.getByRole('button', { name, exact: true }).first().boundingBox())?.height ?? 0;
  passTime();
  await go(page, '/console/approvals');
  await page.getByRole('article').getByText('1 of 3').waitFor();
  const raw = await page.getByRole('link', { name: 'Raw source' }).boundingBox();
  t.ok(raw && raw.height >= 24, 'WCAG 2.2, 2.5.8');
  await go(page, '/console/suppressions');
  await page.getByRole('button', { name: 'Suppress' }).click();
  t.ok((await heightOf('Cancel')) >= 40);
  await page.keyboard.press('Escape');
  await go(page, '/console/domains/halden.test');
  await page.getByText('DKIM, Ed25519').first().waitFor();
  t.ok(
    await page.getByRole('heading', { level: 1 }).evaluate((title) => title.scrollWidth <= title.clientWidth),
    'the name is whole',
  );
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  for (const path of ['webhooks', 'domains', 'queue']) {
    await go(page, `/console/${path}`);
    // Of each row: how far its name and its state stand from the left.
    const lefts = await page
      .locator('.cards tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) =>
          [row.querySelector('td'), row.querySelector('.badge')].map((each) =>
            Math.round(each?.getBoundingClientRect().left ?? 0),
          ),
        ),
      );
    t.equal(new Set(lefts.flat()).size, 1, `${path}: states stand below names: ${JSON.stringify(lefts)}`);
  }
});

t.test('what opens is fit to be used', async (t) => {
  const visitor = await started.person();
  const { page } = visitor;
  await page.setViewportSize(DESKTOP);
  await go(page, '/console/agents/billing');
  await page.getByRole('link', { name: /Access to the supplier portal/ }).click();
  await page.getByText('One-time code found').waitFor();
  await isFitInLooks(t, visitor, 'a thread', [LIGHT, DARK_PHONE], passTime);
  await page
    .getByLabel(/^More for the message/)
    .first()
    .click();
  await page.getByRole('button', { name: 'Raw source' }).click();
  await page
    .getByRole('dialog')
    .getByText(/^Content-Type: multipart/m)
    .waitFor();
  await isFitInLooks(t, visitor, 'the raw source', [LIGHT], passTime);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await go(page, '/console/approvals');
  await page.getByRole('button', { name: 'Decided' }).click();
  await isFitInLooks(t, visitor, 'what was decided', [DARK_PHONE], passTime);
  await go(page, '/console/');
  await page.getByRole('button', { name: 'As a table' }).click();
  await isFitInLooks(t, visitor, 'the counts as a table', [LIGHT], passTime);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find or do' }).fill('sal');
  await isFitInLooks(t, visitor, 'the palette', [DARK_PHONE], passTime);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/agents/sales');
  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'More' }).click();
  await page.locator('#drawer').getByRole('link', { name: 'Activity' }).waitFor();
  await isFit(t, visitor, 'the drawer');

  await page.setViewportSize(DESKTOP);
  await go(page, '/console/vault');
  await page.getByRole('link', { name: /Nordkai/ }).click();
  await isFitInLooks(t, visitor, 'a secret', [LIGHT], passTime);
  await page.getByRole('button', { name: 'Edit' }).click();
  await isFitInLooks(t, visitor, 'the form of a secret', [DARK_PHONE], passTime);
  t.same(started.instance.faults, []);
});
