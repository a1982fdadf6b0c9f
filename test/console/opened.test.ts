/** What opens on the screens of a filled console: threads, dialogs, the palette, the drawer. Each is as fit as the screens. */

import t from 'tap';
import { DESKTOP, PHONE } from '../harness/http/chromium.ts';
import { DARK_PHONE, isFit, isFitInLooks, LIGHT } from './fit.ts';
import { startFilledConsole } from './started.ts';

const started = startFilledConsole(t);
const { passTime, visit } = started;

t.test('what opens is fit to be used', async (t) => {
  const visitor = await started.signIn();
  const { context, page } = visitor;
  t.teardown(() => context.close());
  await visit(page, '/console/agents/billing');
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

  await visit(page, '/console/approvals');
  await page.getByRole('button', { name: 'Decided' }).click();
  await isFitInLooks(t, visitor, 'what was decided', [DARK_PHONE], passTime);
  await visit(page, '/console/');
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
  await visit(page, '/console/vault');
  await page.getByRole('link', { name: /Nordkai/ }).click();
  await isFitInLooks(t, visitor, 'a secret', [LIGHT], passTime);
  await page.getByRole('button', { name: 'Edit' }).click();
  await isFitInLooks(t, visitor, 'the form of a secret', [DARK_PHONE], passTime);
  t.same(started.instance.faults, []);
});
