/** A person with webhooks, suppressions, connections, the vault's values, the plan, the log and the instance. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { type Chromium, launchChromium, PHONE, type Visitor } from '../harness/http/chromium.ts';
import { faultOfSignature, startWebhookInstance, type WebhookBox } from '../harness/http/webhooks.ts';
import { initialize } from '../harness/mcp/mcp-request.ts';
import { connect, signIn } from '../harness/oauth/oauth-client.ts';
import { addSecret, listActs } from '../harness/operator.ts';
import { isPostgres } from '../harness/postgres/test-location.ts';
import { goTo, isFit, isSoon, settled, signInTo } from './fit.ts';

let chromium: Chromium;
let hooks: WebhookBox;
let visitor: Visitor;
t.before(async () => {
  [chromium, hooks] = await Promise.all([launchChromium(), startWebhookInstance()]);
  visitor = await signInTo(chromium, hooks.instance, {}, 'acme');
});
t.teardown(() => Promise.all([chromium[Symbol.asyncDispose](), hooks[Symbol.asyncDispose]()]));

const go = (page: Page, path: string): Promise<void> => goTo(page, new URL(path, hooks.instance.baseUrl).href);

t.test('a webhook is made, its secret shown once; it is tested, paused, and a delivery sent again', async (t) => {
  const { page, faults } = visitor;
  const { receiver } = hooks;
  const dialog = page.getByRole('dialog');
  receiver.answer((_request, response) => response.writeHead(503).end('<b>down</b>'));
  await go(page, '/console/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).click();
  await dialog.getByLabel('URL').fill('https://192.168.0.1/x');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByText('private or loopback').waitFor();
  await dialog.getByLabel('URL').fill('http://hooks.test/x');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByText('Give an address that begins with https://.').waitFor();
  await dialog.getByLabel('URL').fill(hooks.url('/in'));
  await dialog.getByText('Headers and a body of your own').click();
  await dialog.getByLabel('Headers').fill('x-own: words');
  await isFit(t, visitor, 'the form of a webhook');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  const secret = await dialog.getByText(/^whsec_/).innerText();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await isFit(t, visitor, 'the secret');
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('heading', { level: 1, name: /hooks\.test/ }).waitFor();
  t.notMatch(await page.content(), secret, 'it is not shown again');

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('It was not taken.').waitFor();
  t.match(await page.getByRole('main').innerText(), '503');
  t.match(await page.getByRole('main').innerText(), '<b>down</b>', 'as text');
  receiver.answer((_request, response) => response.end('ok'));
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('It was taken.').waitFor();
  const request = receiver.requests.at(-1);
  t.equal(request && faultOfSignature(request, secret), null);
  t.equal(request?.headers['x-own'], 'words');

  await hooks.mail();
  await page.getByRole('row', { name: /200 message\.received/ }).waitFor();
  const before = receiver.requests.length;
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('The delivery was sent again').waitFor();
  t.equal(receiver.requests.length, before + 1);
  await isFit(t, visitor, 'a webhook');

  await page.getByRole('switch', { name: 'On' }).click();
  await page.getByText('The endpoint is paused').waitFor();
  await page.getByRole('switch', { name: 'On' }).click();
  await page.getByText('The endpoint is on').waitFor();
  await go(page, '/console/webhooks');
  t.match(await page.getByRole('row', { name: /hooks\.test/ }).innerText(), 'an owner', 'who made it');
  await page.getByRole('button', { name: /^Pause .*hooks\.test/ }).click();
  await page.getByText('The endpoint is paused').waitFor();
  await page
    .getByRole('row', { name: /paused/ })
    .getByRole('link')
    .first()
    .click();
  await page.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'Make secret' }).click();
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks yet').waitFor();
  t.same(faults, []);
});

t.test("a secret's value is shown at a press, recorded, and hidden again", async (t) => {
  // Its clock is set: the pages of other tests go by the machine's.
  const own = await signInTo(chromium, hooks.instance, { permissions: ['clipboard-write'] }, 'acme');
  const { context, page, faults } = own;
  t.teardown(() => context.close());
  const password = 'correct horse battery';
  await addSecret(hooks.instance, 'Portal', 'login', { username: 'u', password, totp_seed: 'GEZDGNBVGY3TQOJQ' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  // A clock that is ahead lets no code end before its time.
  await page.clock.install({ time: Date.now() + 300_000 });
  await go(page, '/console/vault');
  await page.getByRole('link', { name: /Portal/ }).click();
  await page.getByText('Who may read it').waitFor();
  await isSoon(t, () => page.getByText('Never read.').count(), 2);
  t.notOk(
    asked.some((path) => /secrets\/(?:get|totp)$/.test(path)),
    'nothing is opened by looking',
  );
  await page.getByRole('button', { name: 'Edit' }).click();
  const seed = page.getByRole('dialog').getByLabel('One-time code');
  await page.getByRole('dialog').getByLabel('Username').fill('u');
  await page.getByRole('dialog').getByLabel('Password').fill(password);
  await seed.fill('0189');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('neither base32 text nor an otpauth://totp/ address').waitFor();
  t.equal(await seed.getAttribute('aria-invalid'), 'true');
  t.equal(await page.getByRole('dialog').locator('[aria-invalid]').count(), 1);
  await page.getByRole('button', { name: 'Cancel' }).click();
  const seedSwitch = page.getByRole('switch', { name: 'ann reads the seed' });
  t.equal(await seedSwitch.count(), 0, 'not asked of an agent without the secret');
  await page.getByRole('switch', { name: 'ann', exact: true }).click();
  await page.getByText('ann may open “Portal”', { exact: true }).waitFor();
  await seedSwitch.click();
  await page.getByText('ann may open “Portal”, with the seed of its codes').waitFor();
  await isSoon(t, () => seedSwitch.isChecked(), true);
  await seedSwitch.click();
  await page.getByText('ann may open “Portal”', { exact: true }).last().waitFor();
  await isSoon(t, () => seedSwitch.isChecked(), false);
  await page.getByRole('button', { name: /Show the password/ }).click();
  await page.getByText(password).waitFor();
  t.equal(await page.getByText('u', { exact: true }).count(), 1, 'the user name is no secret');
  await page.getByRole('row', { name: /secret opened/ }).waitFor();
  t.equal(await page.getByText('GEZDGN').count(), 0, 'the seed is not shown');
  await page.getByRole('button', { name: /Show the one-time code/ }).click();
  await page.getByRole('img', { name: /seconds left/ }).waitFor();
  await isFit(t, own, 'a secret that is shown');
  await page.clock.runFor(31_000);
  await page.getByRole('button', { name: /Show the password/ }).waitFor();
  t.notMatch(await page.content(), password);
  await page.getByRole('button', { name: /Copy the password/ }).click();
  await page.getByText('The password is copied').waitFor();
  t.notMatch(await page.content(), password, 'copied, not shown');
  const acts = (await listActs(hooks.instance)).filter(({ action }) => /^secret\.(open|totp)$/.test(action));
  t.match(
    acts.map(({ action, actor, via }) => [action, actor, via]),
    [
      ['secret.open', 'owner@remote.test', 'console'],
      ['secret.totp', 'owner@remote.test', 'console'],
      ['secret.open', 'owner@remote.test', 'console'],
    ],
  );
  t.same(faults, []);
});

t.test('an address is suppressed, found, and let go again; a connection is cut off', async (t) => {
  const { page, faults } = visitor;
  const { instance } = hooks;
  const dialog = page.getByRole('dialog');
  const send = () =>
    instance.client(instance.agents.ann).messages.send({ to: ['moe@remote.test'], subject: 'Hi', body: 'Hi' });
  await go(page, '/console/suppressions');
  await page.getByText('No address is suppressed').waitFor();
  await page.getByRole('button', { name: 'Suppress' }).click();
  await dialog.getByLabel('Address').fill('Moe@remote.test');
  await dialog.getByRole('button', { name: 'Suppress' }).click();
  await page.getByRole('row', { name: /moe@remote\.test by hand for good/ }).waitFor();
  t.match(await send(), { status: 'rejected', reason: 'recipient_suppressed' });
  await page.getByRole('searchbox').fill('zoe@');
  await page.getByText('No suppressed address begins with “zoe@”').waitFor();
  await page.getByRole('searchbox').fill('MOE');
  await page.getByRole('row', { name: /moe@remote\.test/ }).waitFor();
  await isFit(t, visitor, 'suppressions');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No suppressed address begins with “MOE”').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /moe@remote\.test/ }).waitFor();

  const { accessToken } = await connect(instance, { person: await signIn(instance) });
  await go(page, '/console/connections');
  await page.getByRole('row', { name: /Desk Companion.*client\.example/ }).waitFor();
  await isFit(t, visitor, 'connections');
  await page.getByRole('button', { name: 'Cut off Desk Companion' }).click();
  t.equal((await initialize(instance, { key: accessToken })).status, 200, 'asked first');
  await dialog.getByRole('button', { name: 'Cut off' }).click();
  await page.getByText('No application is connected').waitFor();
  t.equal((await initialize(instance, { key: accessToken })).status, 401);
  t.same(faults, []);
});

t.test(
  'the plan is told, the doctor comes, a backup is written, and the log says so where it is filtered',
  async (t) => {
    const { page, faults } = visitor;
    await go(page, '/console/plan');
    await page.getByText('Domains of your own').waitFor();
    await go(page, '/console/vault/nope');
    await page.getByText('No such secret in this workspace.').waitFor();
    t.match(await page.getByRole('alert').innerText(), '404');
    await go(page, '/console/agents');
    await page.getByText(/2 agents, 2 .*mailboxes/).waitFor();
    await go(page, '/console/instance');
    await page.getByText('The doctor has not been yet').waitFor();
    await page.getByRole('button', { name: 'Examine now' }).click();
    await page.getByRole('row', { name: /disk/ }).waitFor();
    const backUp = page.getByRole('button', { name: 'Back up now' });
    if (isPostgres) {
      await page.getByText('pg_dump or your provider backs it up').waitFor();
    } else {
      await backUp.click();
      await page.getByRole('row', { name: /\.backup/ }).waitFor();
    }
    await isFit(t, visitor, 'the instance');
    if (!isPostgres) {
      await backUp.click();
      await page.getByText('A backup was just made').waitFor();
    }

    await go(page, '/console/activity');
    await settled(page);
    t.equal(await backUp.count(), isPostgres ? 0 : 1);
    await page.getByLabel('Action').selectOption(isPostgres ? 'secret' : 'backup');
    await page
      .getByRole('row', { name: isPostgres ? /secret\./ : /backup\.write/ })
      .first()
      .waitFor();
    if (!isPostgres) await isSoon(t, () => page.getByRole('row').count(), 2, 'with its head');
    await page.getByLabel('Who').selectOption(isPostgres ? 'postroom' : 'ann');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('searchbox').fill('portal');
    await page.getByRole('row', { name: /secret\.totp/ }).waitFor();
    await isFit(t, visitor, 'the activity, filtered');
    await page.setViewportSize(PHONE);
    const top = async (label: string) => (await page.getByLabel(label, { exact: true }).boundingBox())?.y;
    t.equal(await top('From'), await top('To'), 'on a phone the two days stand side by side');
    t.same([faults, hooks.instance.faults], [[], []]);
  },
);
