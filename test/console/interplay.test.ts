/** What one thing does to another: a late answer, a second tab, an agent, a second workspace, a look that fails. */

import t from 'tap';
import { cliJson } from '../harness/cli.ts';
import { signInOwner } from '../harness/http/owner.ts';
import { A_LOOK, heading, intercept, withhold } from './fit.ts';
import { startConsole } from './started.ts';

const started = startConsole(t);
const { at, go } = started;

const makeContact = async (of: typeof started.instance.agents.ann, given_name: string): Promise<string> => {
  const made = await started.instance.client(of).contacts.create({ given_name, channels: [] });
  return 'id' in made ? made.id : '';
};

const holdMail = async (...subjects: string[]) => {
  const { instance } = started;
  // The page of the tests before shows none of it: mail that is decided while its frame loads is refused there.
  await go((await started.person()).page, '/console/contacts');
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const ann = instance.client(instance.agents.ann);
  for (const { pending_id } of (await ann.pending.listPending({})).pending) {
    await cliJson(instance.configPath, 'pending', 'reject', pending_id, '--yes');
  }
  for (const subject of subjects) await ann.messages.send({ to: ['carol@remote.test'], subject, body: subject });
  return ann;
};

t.test('a decision that is answered late takes nobody away from what they went on to', async (t) => {
  await holdMail('First', 'Second', 'Third');
  const { page, faults } = await started.person();
  // For the tests after this one: timers of a page go by the clock that it was loaded with.
  await page.clock.install();
  await go(page, '/console/approvals');
  await heading(page, 'First').waitFor();
  const answer = await withhold(page, 'heldMail/approve');
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await page.getByText('Sending…').waitFor();
  await page.keyboard.press('r');
  await page.keyboard.press('Enter');
  t.equal(await page.getByText('Rejecting…').count(), 0, 'one decision at a time');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await heading(page, 'Second').waitFor();
  const note = page.getByLabel('Note to ann');
  await note.fill('Needs a date');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await heading(page, 'Third').waitFor();
  await page.keyboard.press('k');
  await heading(page, 'Second').waitFor();
  t.equal(await note.inputValue(), 'Needs a date', 'what was written is there again');
  await answer();
  await page
    .getByText(/^Sent to carol/)
    .first()
    .waitFor();
  t.ok(await heading(page, 'Second').isVisible());
  t.equal(await note.inputValue(), 'Needs a date');

  const asked = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.type());
      void dialog.accept();
    });
  });
  await page.reload();
  t.equal(await asked, 'beforeunload', 'the browser asks before it is lost');
  t.same(faults, []);
});

t.test('mail that another decided says so, and leads on to its neighbour', async (t) => {
  const ann = await holdMail('First', 'Second', 'Third');
  const { page, faults } = await started.person();
  await go(page, '/console/approvals');
  await page
    .getByRole('link', { name: /Second/ })
    .first()
    .click();
  await heading(page, 'Second').waitFor();
  await page.frameLocator('iframe').getByText('Second').first().waitFor();
  const second = (await ann.pending.listPending({})).pending.find(({ subject }) => subject === 'Second');
  await cliJson(started.instance.configPath, 'pending', 'reject', String(second?.pending_id), '--yes');
  await page.clock.fastForward(A_LOOK);
  await page.getByText('This message is rejected').waitFor();
  t.equal(await page.getByRole('button', { name: 'Approve and send' }).count(), 0);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await heading(page, 'Third').waitFor();
  t.same(faults, []);
});

t.test('an edit of held mail does not undo that of another window', async (t) => {
  const ann = await holdMail('Fourth');
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  await go(page, '/console/approvals');
  const list = page.getByRole('navigation', { name: 'Held mail' });
  await list.getByRole('link', { name: /Fourth/ }).click();
  await heading(page, 'Fourth').waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const asks = page.getByRole('dialog', { name: 'Edit before it goes' });
  await asks.getByLabel('Subject').fill('The fourth');
  const { pending_id } = (await ann.pending.listPending({})).pending.find(({ subject }) => subject === 'Fourth') ?? {};
  const owner = await signInOwner(started.instance);
  const { digest } = (await owner.call('heldMail/get', { pending_id })).body;
  await owner.call('heldMail/edit', { pending_id, digest, text: 'As the other has it.', remove: [] });
  const reloaded = page.waitForResponse('**/console/api/heldMail/get');
  await ann.messages.send({ to: ['carol@remote.test'], subject: 'Fifth', body: 'Fifth' });
  await reloaded;
  await asks.getByRole('button', { name: 'Save' }).click();
  await asks
    .getByRole('alert')
    .getByText(/not the one that was shown/)
    .waitFor();
  t.match((await owner.call('heldMail/get', { pending_id })).body, { text: /As the other has it/, subject: 'Fourth' });
  t.same(faults, []);
});

t.test('a look that fails drops nothing that is written, and a pause without its event is shown', async (t) => {
  await holdMail('First');
  const { instance } = started;
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  await intercept(page, '**/console/api/events**', (route) => route.abort());
  await page.goto(at('/console/approvals'));
  await heading(page, 'First').waitFor();
  await page.getByLabel('Note to ann').fill('Needs a date');
  await intercept(page, '**/console/api/heldMail/*', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
  const failed = page.waitForResponse('**/console/api/heldMail/list');
  // As where the tab is looked at again.
  await page.evaluate(() =>
    (globalThis as unknown as { document: EventTarget }).document.dispatchEvent(new Event('visibilitychange')),
  );
  await (await failed).finished();
  await page.unroute('**/console/api/heldMail/*');
  t.equal(await page.getByLabel('Note to ann').inputValue(), 'Needs a date');

  await cliJson(instance.configPath, 'workspaces', 'pause', 'acme');
  await page.clock.fastForward(A_LOOK);
  await page.getByText('Sending is paused: approved now').waitFor();
  t.ok(await page.getByRole('button', { name: 'Approve and send' }).isDisabled());
  await cliJson(instance.configPath, 'workspaces', 'resume', 'acme');
});

t.test('a form that works is neither left nor written in; Back asks as Escape does', async (t) => {
  const { page, faults } = await started.person();
  const dialog = page.getByRole('dialog');
  await go(page, '/console/contacts');
  await heading(page, 'Contacts').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await page.getByRole('button', { name: 'New note' }).first().click();
  const body = dialog.getByLabel('Note', { exact: true });
  await body.fill('Stand 12');
  await page.goBack();
  await page.getByText('What you typed in it is lost.').waitFor();
  t.match(page.url(), /\/notes$/);
  await page.getByRole('button', { name: 'Go on writing' }).click();
  await page.keyboard.press('Control+k');
  t.equal(await page.getByRole('combobox', { name: 'Find or do' }).count(), 0, 'no palette over a form');

  const answer = await withhold(page, 'notes/create');
  await dialog.getByRole('button', { name: 'Add note' }).click();
  await dialog.getByText('Adding…').waitFor();
  await body.focus();
  await page.keyboard.type(' and 13');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true });
  t.equal(await body.inputValue(), 'Stand 12');
  await answer();
  await heading(page, 'Stand 12').waitFor();
  await dialog.waitFor({ state: 'detached' });
  t.same(faults, []);
});

t.test('an edit keeps what an agent wrote meanwhile', async (t) => {
  const { instance } = started;
  const ann = instance.client(instance.agents.ann);
  const id = await makeContact(instance.agents.ann, 'Ines');
  const { page, faults } = await started.person();
  const dialog = page.getByRole('dialog');
  await go(page, `/console/contacts/${id}`);
  await heading(page, 'Ines').waitFor();
  await ann.contacts.update({ id, job_title: 'Buyer' });
  await page.clock.fastForward(A_LOOK);
  await page.getByText('Buyer', { exact: true }).first().waitFor();

  await page.getByRole('button', { name: 'Edit' }).click();
  await ann.contacts.update({ id, notes: 'Prefers mail', job_title: 'Head of purchasing' });
  await dialog.getByLabel('Family name').fill('Halvorsen');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Ines Halvorsen is saved').waitFor();
  t.match(await ann.contacts.get({ id }), {
    ...{ family_name: 'Halvorsen', notes: 'Prefers mail', job_title: 'Head of purchasing' },
  });

  await page.getByRole('button', { name: 'Edit' }).click();
  await ann.contacts.update({ id, notes: 'Prefers the phone' });
  await dialog.getByLabel('Notes').fill('Prefers letters');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Another has changed this meanwhile: notes').waitFor();
  t.match(await ann.contacts.get({ id }), { notes: 'Prefers the phone' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.match(await ann.contacts.get({ id }), { notes: 'Prefers letters' });

  // What cannot be undone at once can be tried again.
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('is deleted').waitFor();
  await intercept(page, '**/console/api/contacts/create', (route) => route.abort());
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Not undone. Postroom did not answer').waitFor();
  await page.unroute('**/console/api/contacts/create');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('is back, on no list').waitFor();
  t.same(
    faults.filter((fault) => !/ERR_FAILED/.test(fault)),
    [],
  );
});

t.test('a form of an endpoint or a list sends what its reader changed alone', async (t) => {
  const { page, faults } = await started.person();
  const ann = started.instance.client(started.instance.agents.ann);
  const owner = await signInOwner(started.instance);
  const endpoint = { url: 'https://127.0.0.1:9/old', events: ['message.received'] };
  const { id } = (await owner.call('webhooks/create', endpoint)).body;
  const list = await ann.contactLists.create({ name: 'Customers', description: 'Of ann' });
  const dialog = page.getByRole('dialog');
  await go(page, `/console/webhooks/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('URL').fill('https://127.0.0.1:9/new');
  await owner.call('webhooks/update', { id, events: ['message.sent'] });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The endpoint is saved').waitFor();
  const { webhooks } = (await owner.call('webhooks/list', {})).body;
  t.match(webhooks, [{ url: 'https://127.0.0.1:9/new', events: ['message.sent'] }]);
  await go(page, `/console/contacts/lists/${list.id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Name').fill('Clients');
  await ann.contactLists.update({ id: list.id, description: 'Of all' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Clients” is saved').waitFor();
  t.match((await ann.contactLists.list()).lists, [{ name: 'Clients', description: 'Of all' }]);
  t.same(faults, []);
});

t.test('what was begun in one workspace ends in none other', async (t) => {
  const { instance } = started;
  const other = await instance.addWorkspace('Second', true);
  await instance.addAgent('zoe', other);
  const id = await makeContact(instance.agents.ann, 'Liv');
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  const second = page.getByRole('button', { name: /Second/ }).first();

  // A link into another workspace that is found late, and was left before.
  const { promise, resolve } = Promise.withResolvers<void>();
  const isOfOther = (url: string, headers: Record<string, string>): boolean =>
    url.endsWith('/agents/get') && headers['x-workspace'] !== 'acme';
  await intercept(page, '**/console/api/agents/get', async (route) => {
    if (isOfOther(route.request().url(), route.request().headers())) await promise;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => isOfOther(request.url(), request.headers()));
  await page.goto(at('/console/agents/zoe'));
  const found = (await asked).response();
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await page.getByRole('button', { name: 'New secret' }).first().click();
  resolve();
  t.equal((await found)?.status(), 200);
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Bank login');
  t.equal(await second.count(), 0);

  await page.goto(at(`/console/contacts/${id}`));
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Liv is deleted').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find or do' }).fill('Second');
  await page.keyboard.press('Enter');
  await second.waitFor();
  await heading(page, 'Home').waitFor();
  t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);

  // Another tab may show another; each stays where it was.
  const tab = await context.newPage();
  await tab.goto(at('/console/'));
  await tab.evaluate(`localStorage.setItem('postroom-workspace', 'acme')`);
  await page.reload();
  await second.waitFor();
});
