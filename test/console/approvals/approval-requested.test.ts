/** Mail that is held while the console is open shows by its event: in the badge, the list and the title. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { isSoon } from '../fit.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t, { outbound: 'undo_seconds = 60' });

t.test('a held mail shows without a look, is edited, approved and taken back', async (t) => {
  const { instance } = started;
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  const opened = page.waitForResponse('**/console/api/events*');
  await page.goto(started.at('/console/approvals'));
  await page.getByText('Nothing waits for you').waitFor();
  await opened;
  // From here no look comes by itself.
  await page.clock.pauseAt(Date.now() + 60_000);
  const mail = { to: ['carol@remote.test', 'dave@remote.test'], subject: 'The offer', body: 'It costs 42.' };
  await instance.client(ann).messages.send({ ...mail, html: '<p>It costs 43.</p>' });
  const item = page.getByRole('navigation', { name: 'Held mail' }).getByRole('link', { name: /The offer/ });
  while ((await item.count()) === 0) await page.clock.runFor(50);
  while (!(await page.title()).startsWith('(1) Approvals')) await page.clock.runFor(50);
  await page
    .getByRole('link', { name: /Approvals/ })
    .getByText('1')
    .first()
    .waitFor();
  await page.clock.resume();

  await page.locator('mark').first().waitFor();
  await isSoon(t, () => page.locator('mark').allTextContents(), ['43', '42'], 'the words that differ are marked');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Text', { exact: true }).fill('It costs 44.');
  const changed = page.getByRole('region', { name: 'What you change' }).locator('del, ins');
  await isSoon(t, () => changed.allTextContents(), ['42', '44']);
  await page.getByLabel('dave@remote.test').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Edited by an owner').waitFor();
  await page.frameLocator('iframe').getByText('It costs 44.').waitFor();
  await page.getByRole('button', { name: /Approve and send/ }).click();
  await page.getByText('Nothing waits for you').waitFor();
  await page.getByText('Goes to carol@remote.test').waitFor();
  await page.getByRole('link', { name: 'See the delivery' }).click();
  await page.getByText('Approved, and about to go').first().waitFor();
  await page.keyboard.press('z');
  await started.go(page, '/console/approvals');
  await item.waitFor();
  const { body } = { body: await instance.client(ann).pending.listPending({}) };
  t.match(body, { pending: [{ subject: 'The offer', to: ['carol@remote.test'] }] });
  t.same(faults, []);
});

t.test('a browser whose clock is ahead offers the undo for as long as there is', async (t) => {
  const { instance } = started;
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install({ time: Date.now() + 300_000 });
  const mail = { to: ['carol@remote.test'], subject: 'Ahead', body: 'It costs 42.' };
  const { pendingId = '' } = await instance.client(instance.agents.ann).messages.send(mail);
  await started.visit(page, '/console/approvals');
  await page.getByRole('link', { name: /Ahead/ }).click();
  await page.frameLocator('iframe').getByText('It costs 42.').waitFor();
  await page.getByRole('button', { name: /Approve and send/ }).click();
  await page.getByText(/approved, goes in [1-6]\d s/).waitFor();
  await page.clock.runFor(5_000);
  await page.getByRole('button', { name: /Undo/ }).click();
  await page.getByText('It waits for you again').waitFor();
  await cliJson(instance.configPath, 'pending', 'reject', pendingId, '--yes');
  t.same(faults, []);
});

t.test('what the command line decides shows by its event; the list is not asked for at intervals', async (t) => {
  const { instance } = started;
  const { ann } = instance.agents;
  for (const { pending_id: id } of (await instance.client(ann).pending.listPending({})).pending) {
    await instance.client(ann).pending.cancelPending({ id });
  }
  await instance.client(ann).messages.send({ to: ['carol@remote.test'], subject: 'At the shell', body: 'Hi.' });
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  const opened = page.waitForResponse('**/console/api/events*');
  await page.goto(started.at('/console/approvals'));
  const item = page.getByRole('navigation', { name: 'Held mail' }).getByRole('link', { name: /At the shell/ });
  await item.waitFor();
  await page.getByRole('heading', { level: 1, name: 'At the shell' }).waitFor();
  await opened;
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const home = page.waitForRequest('**/console/api/home/needs');
  await page.clock.runFor(60_000);
  await home;
  t.same(
    asked.filter((path) => path.includes('/heldMail/')),
    [],
  );
  const { pending } = await instance.client(ann).pending.listPending({});
  await cliJson(instance.configPath, 'pending', 'reject', pending[0]?.pending_id ?? '', '--yes');
  while ((await item.count()) > 0) await page.clock.runFor(50);
  t.pass('it shows');
});
