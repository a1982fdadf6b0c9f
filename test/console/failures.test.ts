/** The console where something fails under it: a daemon that is down, a console that was replaced, an answer that breaks a screen. */

import t from 'tap';
import { type Chromium, launchChromium } from '../harness/http/chromium.ts';
import { printedLink } from '../harness/http/owner.ts';
import { startInstance, type TestInstance } from '../harness/instance.ts';
import { settled, signInTo } from './fit.ts';

let chromium: Chromium;
let instance: TestInstance;
t.before(async () => {
  [chromium, instance] = await Promise.all([launchChromium(), startInstance()]);
});
t.teardown(() => Promise.all([chromium[Symbol.asyncDispose](), instance[Symbol.asyncDispose]()]));

t.test('a screen whose script does not come says so, goes on once it does, and leaves the others alone', async (t) => {
  const { context, page, faults } = await signInTo(chromium, instance, {}, 'acme');
  t.teardown(() => context.close());
  const rail = page.getByRole('complementary');
  await rail.getByRole('link', { name: 'Queue' }).click();
  await page.getByText('Nothing is under way').waitFor();
  // As where the daemon is down: nothing of the console is answered.
  await page.route('**/console/**', (route) => route.abort());
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
  const { context, page } = await signInTo(chromium, instance, {}, 'acme');
  t.teardown(() => context.close());
  await page.clock.install();
  for (const away of ['abort', 'proxy'] as const) {
    await page.route('**/console/api/notes/list', (route) =>
      away === 'abort' ? route.abort() : route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad Gateway' }),
    );
    await page.goto(new URL('/console/notes', instance.baseUrl).href);
    await page.getByText('The notes did not load').waitFor();
    await page.unroute('**/console/api/notes/list');
    await page.clock.fastForward(3_000);
    // Sooner than the look that comes each 15 s.
    await page.getByText('No notes yet').waitFor({ timeout: 8_000 });
  }
});

t.test('a session that ended takes nothing that was written; signing out without an answer says so', async (t) => {
  const { context, page } = await signInTo(chromium, instance, {}, 'acme');
  t.teardown(() => context.close());
  await page.route('**/console/api/heldMail/list', (route) => route.abort());
  await page.goto(new URL('/console/approvals', instance.baseUrl).href);
  await page.getByText('The held mail did not load').waitFor();
  t.equal(await page.getByRole('button', { name: 'Waiting' }).innerText(), 'Waiting');
  await page.goto(new URL('/console/notes', instance.baseUrl).href);
  await page.getByRole('button', { name: 'New note' }).first().click();
  await page.getByLabel('Note', { exact: true }).fill('All of a long note.');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByText('You are signed out', { exact: true }).waitFor();
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
  ]);
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tab.goto(new URL(await printedLink(instance), instance.baseUrl).href);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.waitForURL('**/console/**');
  await tab.close();
  t.equal(await page.getByLabel('Note', { exact: true }).inputValue(), 'All of a long note.');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('heading', { level: 1, name: 'All of a long note.' }).waitFor();

  await page.goto(new URL('/console/you', instance.baseUrl).href);
  await page.route('**/console/api/session/end', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are still signed in. Postroom did not answer.').waitFor();
});

t.test('where the console was replaced the page is loaded again, once', async (t) => {
  const { context, page } = await signInTo(chromium, instance, {}, 'acme');
  t.teardown(() => context.close());
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await page.route(/\/console\/assets\/vault-.*\.js$/, (route) => route.fulfill({ status: 404 }));
  await page.route('**/console/', async (route) =>
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

t.test('what throws while a screen is drawn leaves the frame and the other screens', async (t) => {
  const { context, page } = await signInTo(chromium, instance, {}, 'acme');
  t.teardown(() => context.close());
  await page.route('**/console/api/suppressions/list', (route) => route.fulfill({ json: { suppressions: [null] } }));
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
