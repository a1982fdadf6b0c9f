/** What a person reads and types stays under the hand: no mail takes another's place, and the focus falls nowhere. */

import t from 'tap';
import { cliJson } from '../harness/cli.ts';
import { DESKTOP, PHONE } from '../harness/http/chromium.ts';
import { sendMail } from '../harness/smtp/send-mail.ts';
import { isFit, isSoon } from './fit.ts';
import { startConsole } from './started.ts';

const started = startConsole(t);
const { at, go } = started;

t.test('mail that is held meanwhile leaves the one that is read, its note and the focus as they are', async (t) => {
  const { instance } = started;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const ann = instance.client(instance.agents.ann);
  const hold = (subject: string) => ann.messages.send({ to: ['carol@remote.test'], subject, body: subject });
  const { pendingId } = await hold('We pay 100');
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  // Before the page: a timer that began by the machine's clock would go on by it when this one is stopped.
  await page.clock.install();
  await page.goto(at('/console/'));
  await page
    .getByRole('link', { name: /Approvals/ })
    .first()
    .click();
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  await heading('We pay 100').waitFor();
  t.match(page.url(), new RegExp(`/approvals/${pendingId}$`), 'it is open by its address');
  const note = page.getByLabel('Note to ann');
  await note.fill('Needs a date');
  await hold('We pay 900');
  await page.clock.runFor(1_000);
  const list = page.getByRole('navigation', { name: 'Held mail' });
  await list.getByRole('link', { name: /We pay 900/ }).waitFor();
  t.ok(await heading('We pay 100').isVisible());
  t.equal(await heading('We pay 900').count(), 0);
  t.equal(await note.inputValue(), 'Needs a date');
  await page.keyboard.type(' and a place');
  t.equal(await note.inputValue(), 'Needs a date and a place');

  // Without a note it is pressed twice: it cannot be taken back.
  await note.fill('');
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await isSoon(t, () => note.evaluate((field) => field.ownerDocument.activeElement === field), true, 'the note first');
  t.equal((await ann.pending.listPending({})).pending.length, 2, 'nothing is decided yet');
  await page.getByRole('button', { name: 'Reject anyway' }).click();
  await heading('We pay 900').waitFor();
  t.match((await ann.pending.listPending({})).pending, [{ subject: 'We pay 900' }]);
  t.equal(await page.getByRole('button', { name: 'Reject', exact: true }).count(), 1, 'the next one is asked anew');

  // The second half of a double click that began in another window.
  await page.clock.pauseAt(Date.now() + 120_000);
  await page.evaluate(`dispatchEvent(new Event('focus'))`);
  const approve = page.getByRole('button', { name: 'Approve and send' });
  await approve.click({ force: true });
  await page.clock.runFor(500);
  await approve.click({ force: true });
  t.equal((await ann.pending.listPending({})).pending.length, 1, 'nothing is approved by it');
  await page.clock.runFor(200);
  await approve.click();
  await page.getByText('Sent to carol@remote.test', { exact: true }).waitFor();
  t.same(faults, []);
});

t.test('the focus goes back where a dialog was opened, and to the heading where its place is gone', async (t) => {
  const { page, faults } = await started.person();
  const focused = (): Promise<string> =>
    page.evaluate(`document.activeElement.tagName + ' ' + document.activeElement.innerText.trim()`);
  const dialog = page.getByRole('dialog');
  const add = async (name: string) => {
    await page.getByRole('button', { name: 'New contact' }).click();
    await dialog.getByLabel('Given name').fill(name);
    await dialog.getByRole('button', { name: 'Add contact' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  };
  await go(page, '/console/contacts');
  await page.getByRole('button', { name: 'New contact' }).click();
  await dialog.getByLabel('Given name').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await isSoon(t, focused, 'BUTTON New contact', 'left by Escape');
  await add('Ines');
  await isSoon(t, focused, 'BUTTON New contact', 'saved');
  await add('Liv');

  await go(page, '/console/contacts');
  // A key that comes before the rows opens none.
  await page.getByRole('navigation', { name: 'Contacts' }).getByRole('link', { name: /Liv/ }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { level: 1, name: 'Liv' }).waitFor();
  await isSoon(t, focused, 'H1 Liv', 'the contact that a key opened');
  await page.getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Liv is deleted').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Liv' }).waitFor({ state: 'detached' });
  await isSoon(t, focused, 'H1 Contacts', 'what was pressed is gone');
  t.same(faults, []);
});

t.test('unread mail of a long name is found again by its address, and moves nothing sideways', async (t) => {
  const { instance } = started;
  const { ann } = instance.agents;
  const headers = { From: `"${'Mueller and Soehne Grosshandelsgesellschaft '.repeat(3)}" <m@remote.test>` };
  await sendMail(instance.smtpPort, { to: [ann.address], headers });
  const visitor = await started.person();
  const { page } = visitor;
  await page.setViewportSize(PHONE);
  await go(page, '/console/agents/ann');
  const thread = page.getByRole('navigation', { name: 'Threads' }).getByRole('link', { name: /Mueller.*1 unread/ });
  await thread.waitFor();
  await isFit(t, visitor, 'mail with a long name');
  const list = page.locator('.list').first();
  t.ok(await list.evaluate((of) => of.scrollWidth <= of.clientWidth), 'nor does the list');

  await page.getByRole('searchbox').fill('mueller');
  const found = page.getByRole('navigation', { name: 'Found messages' }).getByRole('link');
  await found.waitFor();
  await page.waitForURL('**/agents/ann?q=mueller');
  await page.reload();
  await found.click();
  await page.waitForURL(/messages\/.*\?q=mueller$/);
  t.equal(instance.faults.length, 0);
  await page.setViewportSize(DESKTOP);
});

t.test('a pair of keys leads where it says, whatever its second key does alone', async (t) => {
  const { instance } = started;
  const { bob } = instance.agents;
  await sendMail(instance.smtpPort, { to: [bob.address], headers: { Subject: 'The delivery note' } });
  const { page, faults } = await started.person();
  await go(page, '/console/agents/bob');
  await page.getByRole('link', { name: /The delivery note/ }).click();
  const subject = page.getByRole('heading', { level: 1, name: 'The delivery note' });
  await subject.waitFor();
  await page.keyboard.press('u');
  await page.getByText('Marked read').waitFor();
  await page.keyboard.press('v');
  const source = page.getByRole('dialog');
  await source.waitFor();
  await page.keyboard.press('Escape');
  await source.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await page.getByRole('heading', { level: 1, name: 'Vault' }).waitFor();
  t.equal(await source.count(), 0);
  t.same(faults, []);
});

t.test('a link to what another workspace has shows that workspace', async (t) => {
  const { instance } = started;
  const other = await instance.addWorkspace('Second', true);
  await instance.addAgent('zoe', other);
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await page.goto(at('/console/agents/zoe'));
  await page.getByText('No open threads').waitFor();
  await page
    .getByRole('button', { name: /Second/ })
    .first()
    .waitFor();
  await go(page, '/console/approvals?decided');
  await page.getByRole('button', { name: 'Decided', pressed: true }).waitFor();
});

t.test('a switch keeps the focus while it works', async (t) => {
  const { page, faults } = await started.person();
  await go(page, '/console/agents/bob/settings');
  const hold = page.getByRole('switch', { name: /Hold/ });
  await hold.focus();
  for (const isOn of [true, false]) {
    await page.keyboard.press('Space');
    await page.getByRole('switch', { name: /Hold/, checked: isOn }).waitFor();
    t.ok(await hold.evaluate((of) => of.ownerDocument.activeElement === of));
  }
  t.same(faults, []);
});
