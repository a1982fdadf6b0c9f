/** What changes shows by itself, whatever the person does meanwhile. */

import t from 'tap';
import { cliJson } from '../harness/cli.ts';
import { sendMail } from '../harness/smtp/send-mail.ts';
import { intercept, listQuestions, settled, withhold } from './fit.ts';
import { startConsole } from './started.ts';

const started = startConsole(t);

t.test('a look outlives a screen that is drawn anew before it is done', async (t) => {
  const { ann } = started.instance.agents;
  const { page, faults } = await started.person();
  await page.clock.install();
  await started.go(page, '/console/agents/ann');
  await page.getByText('No open threads').waitFor();
  // From here no look comes by itself.
  await page.clock.pauseAt(Date.now() + 60_000);
  await sendMail(started.instance.smtpPort, { to: [ann.address], headers: { Subject: 'The delivery note' } });
  const thread = page.getByRole('navigation', { name: 'Threads' }).getByRole('link', { name: /The delivery note/ });
  t.equal(await thread.count(), 0);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await page.clock.runFor(200);
  await page.evaluate(`history.replaceState(null, '', '?anew')`);
  await page.clock.runFor(300);
  await thread.waitFor();
  await page.clock.resume();
  t.same(faults, []);
});

t.test('an answer that comes late takes nothing back', async (t) => {
  const { ann } = started.instance.agents;
  const { page, faults } = await started.person();
  const arrive = async (subject: string): Promise<void> => {
    await sendMail(started.instance.smtpPort, { to: [ann.address], headers: { Subject: subject } });
  };
  const threads = page.getByRole('navigation', { name: 'Threads' });
  const news = (words: string) => page.getByRole('button', { name: words, exact: true });
  await arrive('The first');
  await started.go(page, '/console/agents/ann');
  await threads.getByRole('link', { name: /The first/ }).waitFor();
  // Of the refreshes, the first has its answer at once, and gives it to the page once all is over.
  const late = Promise.withResolvers<void>();
  const [isRead, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let refreshes = 0;
  await intercept(page, '**/console/api/inbox/threads', async (route) => {
    refreshes += 1;
    if (refreshes > 1) return route.continue();
    const response = await route.fetch();
    isRead.resolve();
    await late.promise;
    await route.fulfill({ response }).catch(() => undefined);
    isOver.resolve();
  });
  await arrive('The second');
  await isRead.promise;
  await arrive('The third');
  await news('2 new').click();
  const third = threads.getByRole('link', { name: /The third/ });
  await third.waitFor();
  late.resolve();
  await isOver.promise;
  await settled(page);
  t.equal(await third.count(), 1);
  t.same(faults, []);
});

t.test('a form of a workspace that is lost acts in no other', async (t) => {
  const { instance } = started;
  await instance.addWorkspace('Second', true);
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  await page.goto(started.at('/console/notes?workspace=second'));
  await page
    .getByRole('button', { name: /Second/ })
    .first()
    .waitFor();
  t.match(page.url(), /\/notes$/);
  await page.getByRole('button', { name: 'New note' }).first().click();
  await page.getByLabel('Note', { exact: true }).fill('For the second alone');
  // They stay at the browser's question.
  const questions = listQuestions(page, 'stay');
  const gone = JSON.stringify({
    ...{ email: 'owner@remote.test', hostname: 'mx.box.test', served_zone: null },
    workspaces: [
      { id: 'x', slug: 'acme', name: 'Acme', plan: 'unlimited', sending_state: 'normal', is_verified: true },
    ],
  });
  await intercept(page, '**/console/api/session/get', (route) =>
    route.fulfill({ contentType: 'application/json', body: gone }),
  );
  for (const _look of [1, 2]) {
    const looked = page.waitForResponse('**/console/api/session/get');
    await page.clock.fastForward(15_000);
    await (await looked).finished();
  }
  const added = page.waitForRequest('**/console/api/notes/create');
  await page.getByRole('button', { name: 'Add note' }).click();
  t.equal((await added).headers()['x-workspace'], 'second');
  t.same(questions, ['beforeunload'], 'asked once');
});

t.test('the workspace that an address asks for is shown once, and the rest of it stays', async (t) => {
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  const second = page.getByRole('button', { name: /Second/ }).first();
  await page.goto(started.at('/console/approvals?decided&workspace=second'));
  await second.waitFor();
  await page.getByRole('button', { name: 'Decided', pressed: true }).waitFor();
  t.match(page.url(), /\/approvals\?decided$/);
  await page.goto(started.at('/console/notes?workspace=nope&q=a%20b'));
  await second.waitFor();
  t.match(page.url(), /\/notes\?q=a(%20|\+)b$/);
  t.same(faults, []);
});

t.test('a session that ends is told once, where a draft is kept that is not on the screen', async (t) => {
  const { instance } = started;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const ann = instance.client(instance.agents.ann);
  const { pendingId } = await ann.messages.send({ to: ['carol@remote.test'], subject: 'Terms', body: 'Terms' });
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  const questions = listQuestions(page, 'stay');
  await page.clock.install();
  await page.goto(started.at(`/console/approvals/${pendingId}`));
  await page.getByLabel('Note to ann').fill('Needs a date');
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  t.equal((await context.request.post(started.at('/console/api/session/end'))).status(), 200);
  await page.clock.fastForward(15_000);
  await page.getByText('You are signed out', { exact: true }).waitFor();
  t.same(questions, []);
});

t.test('a draft of mail that another decided is dropped, and a form outlives what it edits', async (t) => {
  const { instance } = started;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const ann = instance.client(instance.agents.ann);
  const { pendingId } = await ann.messages.send({ to: ['carol@remote.test'], subject: 'Prices', body: 'Prices' });
  const { id } = await ann.notes.create({ title: 'Fair', body: 'Stand 12' });
  const { page } = await started.person();
  const questions = listQuestions(page, 'go');
  await started.go(page, `/console/approvals/${pendingId}`);
  await page.getByLabel('Note to ann').fill('Needs a date');
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await cliJson(instance.configPath, 'pending', 'reject', String(pendingId), '--yes');

  await page.getByRole('link', { name: /Fair/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Fair' }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Note', { exact: true }).fill('Stand 13');
  await ann.notes.remove({ id });
  await page.clock.fastForward(15_000);
  await page.clock.runFor(1_000);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  t.equal(await page.getByLabel('Note', { exact: true }).inputValue(), 'Stand 13');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.getByRole('heading', { level: 1, name: 'Terms' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Terms' }).waitFor();
  t.same(questions, []);
});

t.test('a form sends what was changed in it, as it was changed', async (t) => {
  const { instance } = started;
  const ann = instance.client(instance.agents.ann);
  const made = await ann.contacts.create({
    ...{ given_name: 'Ines', notes: 'Prefers mail\n' },
    channels: [
      { kind: 'phone', value: '+4722000000' },
      { kind: 'email', value: 'ines@remote.test' },
    ],
  });
  const id = 'id' in made ? made.id : '';
  const { page, faults } = await started.person();
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Save' });
  const updates: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/contacts/update')) updates.push(request.postDataJSON());
  });
  await started.go(page, `/console/contacts/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  t.same(updates, [], 'nothing was changed');
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Job title').fill('Buyer');
  await save.click();
  await page.getByText('Ines is saved').waitFor();
  t.same(updates, [{ id, job_title: 'Buyer' }]);

  await page.getByRole('button', { name: 'Edit' }).click();
  await ann.contacts.update({ id, notes: 'Prefers the phone' });
  await dialog.getByLabel('Notes').fill('Prefers letters');
  await save.click();
  await dialog.getByText('Another has changed this meanwhile: notes').waitFor();
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Ines is as before').waitFor();
  t.match(await ann.contacts.get({ id }), { notes: 'Prefers the phone', job_title: 'Buyer' });
  t.same(
    faults.filter((fault) => !/409|400/.test(fault)),
    [],
  );
});

t.test('a form that works keeps its choices', async (t) => {
  const { page, faults } = await started.person();
  const dialog = page.getByRole('dialog');
  await started.go(page, '/console/vault');
  await page.getByRole('button', { name: 'New secret' }).first().click();
  await dialog.getByLabel('Name', { exact: true }).fill('Portal');
  // As a password manager fills: both fields at once.
  await page.evaluate(`for (const [name, text] of [['Username', 'u'], ['Password', 'correct horse battery']]) {
    const label = [...document.querySelectorAll('dialog label')].find(({ textContent }) => textContent === name);
    const field = document.getElementById(label.htmlFor);
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }`);
  const answer = await withhold(page, 'secrets/add');
  await page.keyboard.press('Enter');
  await dialog.getByText('Sealing…').waitFor();
  const type = dialog.getByRole('combobox').first();
  await type.focus();
  await page.keyboard.press('ArrowDown');
  t.equal(await type.inputValue(), 'login');
  await answer();
  await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor();
  t.same(faults, []);
});
