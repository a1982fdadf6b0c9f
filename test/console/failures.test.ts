/** The console where something fails under it: a daemon that is down, a console that was replaced, an answer that breaks a screen. */

import t from 'tap';
import { printedLink } from '../harness/http/owner.ts';
import { intercept, settled } from './fit.ts';
import { startConsole } from './started.ts';

const started = startConsole(t);
const { at, go, visit } = started;

t.test('a screen whose script does not come says so, goes on once it does, and leaves the others alone', async (t) => {
  const { page, faults } = await started.person();
  const rail = page.getByRole('complementary');
  await go(page, '/console/queue');
  await page.getByText('Nothing is under way').waitFor();
  // As where the daemon is down: nothing of the console is answered.
  await intercept(page, '**/console/**', (route) => route.abort());
  await rail.getByRole('link', { name: 'Vault' }).click();
  await page.getByText('Vault did not load').waitFor();
  t.match(await page.getByRole('alert').innerText(), 'Postroom did not answer');
  await rail.getByRole('link', { name: 'Queue' }).click();
  await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
  await rail.getByRole('link', { name: 'Vault' }).click();
  await page.getByText('Vault did not load').waitFor();
  await page.unroute('**/console/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No secrets yet').waitFor();
  t.same(faults, []);
});

t.test('what an instance that was away did not answer is asked for again, unpressed', async (t) => {
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  for (const status of [null, 502, 429]) {
    await intercept(page, '**/console/api/notes/list', (route) =>
      status === null ? route.abort() : route.fulfill({ status, contentType: 'text/html', body: 'Not now' }),
    );
    await page.goto(at('/console/notes'));
    await page.getByText('The notes did not load').waitFor();
    await page.unroute('**/console/api/notes/list');
    await page.clock.fastForward(3_000);
    // Sooner than the look that comes each 15 s.
    await page.getByText('No notes yet').waitFor({ timeout: 8_000 });
  }
});

t.test('a session that ended takes nothing that was written; signing out without an answer says so', async (t) => {
  const { instance } = started;
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await intercept(page, '**/console/api/heldMail/list', (route) => route.abort());
  await page.goto(at('/console/approvals'));
  await page.getByText('The held mail did not load').waitFor();
  t.equal(await page.getByRole('button', { name: 'Waiting' }).innerText(), 'Waiting');
  await page.goto(at('/console/notes'));
  await page.getByRole('button', { name: 'New note' }).first().click();
  await page.getByLabel('Note', { exact: true }).fill('All of a long note.');
  const ended = await context.request.post(at('/console/api/session/end'));
  t.equal(ended.status(), 200);
  // The console's own look may be told of it first, and cover the button.
  await page.getByRole('button', { name: 'Add note' }).dispatchEvent('click');
  await page.getByText('You are signed out', { exact: true }).waitFor();
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
  ]);
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tab.goto(at(await printedLink(instance)));
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.waitForURL('**/console/**');
  await tab.close();
  t.equal(await page.getByLabel('Note', { exact: true }).inputValue(), 'All of a long note.');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('heading', { level: 1, name: 'All of a long note.' }).waitFor();

  await page.goto(at('/console/you'));
  await intercept(page, '**/console/api/session/end', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are still signed in. Postroom did not answer.').waitFor();
});

t.test('where the console was replaced the page is loaded again, once', async (t) => {
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await visit(page, '/console/');
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await intercept(page, /\/console\/assets\/vault-.*\.js$/, (route) => route.fulfill({ status: 404 }));
  await intercept(page, '**/console/', async (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<script type="module" src="/console/assets/console-x.js"></script>',
    }),
  );
  await page.getByRole('complementary').getByRole('link', { name: 'Vault' }).click();
  await page.getByText('The console was replaced by another version').waitFor();
  t.equal(loads, 1);
  t.match(page.url(), /\/console\/vault$/);
});

t.test('what throws while a screen is drawn leaves the frame and the other screens', async () => {
  const { page } = await started.person();
  await go(page, '/console/');
  await intercept(page, '**/console/api/suppressions/list', (route) =>
    route.fulfill({ json: { suppressions: [null] } }),
  );
  const rail = page.getByRole('complementary');
  await rail.getByRole('link', { name: 'Suppressions' }).click();
  await page.getByText('Suppressions did not load').waitFor();
  await rail.getByRole('link', { name: 'Queue' }).click();
  await page.getByText('Nothing is under way').waitFor();
  await rail.getByRole('link', { name: 'Suppressions' }).click();
  await page.getByText('Suppressions did not load').waitFor();
  await page.unroute('**/console/api/suppressions/list');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No address is suppressed').waitFor();
  await settled(page);
});

t.test('a queue of which the list has a part is not told as the whole', async (t) => {
  const { page } = await started.person();
  const delivery = {
    ...{ message_id: 'm', address: 'a@remote.test', status: 'queued', attempts: 0, next_attempt_at: null },
    ...{ last_response: null, remote_host: null, agent: 'ann', subject: 'Many', since: new Date().toISOString() },
  };
  const queue = Array.from({ length: 1_000 }, (_, at) => ({ ...delivery, id: String(at) }));
  await intercept(page, '**/console/api/queue/list', (route) => route.fulfill({ json: { queue } }));
  await visit(page, '/console/queue');
  await page.getByText('the 1\u2009000 that go next').waitFor();
  t.equal(await page.getByText(/^100 are shown, of/).count(), 1);
  await page.unroute('**/console/api/queue/list');
});
