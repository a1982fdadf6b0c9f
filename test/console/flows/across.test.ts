/** Mail of all agents in one list, and the palette that finds what the workspace has. */

import t from 'tap';
import { findBarriers, PHONE, sidewaysScroll } from '../../harness/http/chromium.ts';
import { settled } from '../fit.ts';
import { startFilledConsole } from '../started.ts';

const started = startFilledConsole(t);

t.test('one list of all agents, its views and searches in the address', async (t) => {
  const { page, faults } = await started.person();
  await started.go(page, '/console/');
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.getByRole('heading', { level: 1, name: 'Mail' }).waitFor();
  await settled(page);
  const main = page.getByRole('main');
  const lines = main.locator('.ln');
  const views = main.locator('.views');
  const agents = async (): Promise<string[]> => [...new Set(await lines.locator('.ag').allTextContents())].toSorted();
  t.same(await agents(), ['billing', 'sales', 'support', 'travel']);
  t.match(await main.getByRole('link', { name: /Your return/ }).innerText(), 'bounced');
  t.same(await findBarriers(page), []);
  await views.getByRole('link', { name: 'Doubtful' }).click();
  await page.waitForURL('**/mail?show=doubtful');
  await main.getByRole('link', { name: /Your return/ }).waitFor({ state: 'detached' });
  await main.getByRole('link', { name: /New bank details/ }).waitFor();
  t.equal(await lines.count(), 1);
  await page.keyboard.press('4');
  await page.waitForURL('**/mail?show=bounced');
  await main.getByRole('link', { name: /Your return/ }).waitFor();
  t.equal(await lines.count(), 1);
  await views.getByRole('link', { name: 'Held' }).click();
  await main.getByRole('link', { name: /Offer 3310/ }).waitFor();
  await views.getByRole('link', { name: 'Unread' }).click();
  await main.getByLabel('Agent', { exact: true }).selectOption('travel');
  await page.waitForURL('**/mail?show=unread&agent=travel');
  await main.getByRole('link', { name: /Skatt Online/ }).waitFor({ state: 'detached' });
  await main.getByRole('link', { name: /Hotel Bristol/ }).waitFor();
  t.same(await agents(), ['travel']);

  await main.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Travel to read');
  await page.getByRole('button', { name: 'Save view' }).click();
  await started.go(page, '/console/mail');
  await main.getByRole('link', { name: 'Travel to read' }).click();
  await page.waitForURL('**/mail?show=unread&agent=travel');

  await started.go(page, '/console/mail');
  await page.getByRole('searchbox').fill('invoice');
  await page.waitForURL('**/mail?q=invoice');
  await main.getByText('messages with “invoice”').waitFor();
  t.same(await agents(), ['billing']);
  t.same(await findBarriers(page), [], 'what was found');
  await page.reload();
  await main.getByRole('link', { name: /Reminder: invoice/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Reminder: invoice 20377 falls due' }).waitFor();

  await page.setViewportSize(PHONE);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Mail' }).click();
  await page.waitForURL('**/console/mail');
  await settled(page);
  t.same([await findBarriers(page), await sidewaysScroll(page)], [[], 0], 'on a phone');
  t.same(faults, []);
});

t.test('the palette finds mail, people, secrets, domains, agents, screens and acts', async (t) => {
  const { page, faults } = await started.person();
  await started.go(page, '/console/domains');
  await settled(page);
  await started.go(page, '/console/vault');
  await settled(page);
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Find or do' });
  const group = (name: string) => page.getByRole('group', { name });
  t.match(await group('Recent').innerText(), 'Domains');
  await box.fill('nordkai');
  await group('Mail')
    .getByRole('option', { name: /All mail with “nordkai”/ })
    .waitFor();
  t.match(await group('Contacts').innerText(), 'nordkai.test');
  t.match(await group('Vault').innerText(), 'Nordkai supplier portal');
  t.same(await findBarriers(page), []);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Nordkai supplier portal' }).waitFor();
  const chooseFirst = async (text: string, words: RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    await box.fill(text);
    await page.getByRole('option', { selected: true, name: words }).waitFor();
    await page.keyboard.press('Enter');
  };
  await chooseFirst('halden.te', /halden\.test/);
  await page.waitForURL('**/domains/halden.test');
  await chooseFirst('sales', /sales/);
  await page.waitForURL('**/agents/sales');
  await chooseFirst('approve offer', /Decide “Offer 3310”/);
  await page.getByRole('heading', { level: 1, name: 'Offer 3310' }).waitFor();
  await chooseFirst('new secret', /New secret/);
  await page.getByRole('dialog', { name: 'New secret' }).waitFor();
  await page.keyboard.press('Escape');
  await chooseFirst('pause', /Pause sending…/);
  await page.getByRole('button', { name: 'Pause sending' }).click();
  await page.getByText('Sending is paused').first().waitFor();
  const focused = await page.evaluate<string>(`(async () => {
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
    await new Promise((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
    return document.activeElement.getAttribute('role');
  })()`);
  t.equal(focused, 'combobox', 'it takes the very next key');
  await box.fill('nothing-has-this-name');
  await page.getByText('Nothing is called “nothing-has-this-name”').waitFor();
  await page.setViewportSize(PHONE);
  t.same([await findBarriers(page), await sidewaysScroll(page)], [[], 0], 'on a phone');
  await page.getByRole('button', { name: 'Close' }).click();
  await box.waitFor({ state: 'detached' });
  t.same([faults, started.instance.faults], [[], []]);
});
