/** A person at the console: approves by the keyboard alone, makes an agent, reads its mail, finds their way, and signs out. */

import t from 'tap';
import { SLUG } from '../harness/http/filled-console.ts';
import { OWNER, printedLink, signInOwner } from '../harness/http/owner.ts';
import { listActs } from '../harness/operator.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { isSoon, settled } from './fit.ts';
import { startFilledConsole } from './started.ts';

const started = startFilledConsole(t);
const { at, go } = started;
/** A long line is broken by quoted-printable. */
const textOf = (raw: Buffer): string => raw.toString().replace(/=\r\n/g, '').replaceAll('=3D', '=');
const arrived = (subject: string): number =>
  started.instance.receiver.messages.filter(({ raw }) => raw.toString().includes(`Subject: ${subject}`)).length;

t.test('held mail is decided by the keyboard alone, the next one at once', async (t) => {
  const { instance } = started;
  const { page, faults, strayRequests } = await started.person();
  await go(page, '/console/');
  await page.getByRole('link', { name: 'Review' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForURL('**/approvals');
  await page.getByRole('heading', { level: 1, name: 'Offer 3310' }).waitFor();
  const main = page.getByRole('main');
  await page.getByText('Text part, which says something else').waitFor();
  t.match(await main.innerText(), 'price is 48 210.00');
  const html = page.frameLocator('iframe').locator('body');
  await html.getByText('price is 38 210.00').waitFor();
  const hidden = `(({ clientHeight, contentDocument: { documentElement } }) =>
    documentElement.scrollHeight - clientHeight)(document.querySelector('iframe'))`;
  await eventually(async () => (await page.evaluate<number>(hidden)) <= 0);
  t.match(await main.innerText(), /to m\.novak@remote\.test\s+cc board@remote\.test/);
  await page.keyboard.press('r');
  await page.keyboard.type('The prices differ');
  await page.keyboard.press('Enter');
  t.match(await page.getByRole('heading', { level: 1 }).allTextContents(), ['Offer 3310']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { level: 1, name: 'Pallet racking for your Moss site' }).waitFor();
  await page.keyboard.press('a');
  const armed = page.getByRole('button', { name: 'Enter sends it' });
  await armed.waitFor();
  t.equal(arrived('Pallet racking'), 0, 'a single key sends nothing');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Approve and send' }).waitFor();
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  const next = page.getByRole('heading', { level: 1, name: 'Re: New bank details' });
  await next.waitFor();
  await eventually(async () => arrived('Pallet racking') === 1);
  t.match(await page.evaluate('document.activeElement.textContent'), 'Re: New bank', 'the focus is on the next one');
  t.match(await page.getByText(/Next: Re: New bank details.*, 1 left/).textContent(), 'Sent');
  t.match(
    await main.innerText(),
    'Held because mail that did not authenticate is in its thread, is sent on, or named the address it goes to.',
  );
  t.match(await main.innerText(), 'Whoever wrote it may not be fjord-bank.test');
  const { pending } = await instance.client(started.filled().agents.sales).pending.listPending({});
  t.same(pending, []);
  t.match(
    (await listActs(instance, SLUG))
      .filter(({ via }) => via === 'console')
      .map(({ action, actor }) => ({ action, actor })),
    { 0: { action: 'pending.approve', actor: OWNER }, 1: { action: 'pending.reject', actor: OWNER } },
  );
  t.equal(arrived('Offer 3310'), 0);

  await page.getByRole('button', { name: 'Decided' }).click();
  await page.getByText('“The prices differ”').waitFor();
  await go(page, '/console/activity');
  await page
    .getByRole('row', { name: /pending\.reject/ })
    .getByRole('link', { name: 'Offer 3310' })
    .click();
  await page.getByText('“Offer 3310” from sales to m.novak@remote.test, board@remote.test.').waitFor();
  await page.getByText('The note says: “The prices differ”').waitFor();
  t.same([faults, strayRequests], [[], []]);
});

t.test('a paused workspace says so everywhere, and approving says what it would come to', async (t) => {
  const { page } = await started.person();
  await go(page, '/console/');
  await page.evaluate(
    `fetch('/console/api/workspaces/pause', { method: 'POST', headers: { 'content-type': 'application/json', 'x-workspace': '${SLUG}' }, body: '{}' })`,
  );
  await page.getByText('Sending paused').first().waitFor();
  await page.getByText('Sending is paused').first().waitFor();
  await go(page, '/console/approvals');
  await page.getByText('approved now, this mail would be refused').waitFor();
  t.ok(await page.getByRole('button', { name: 'Approve and send' }).isDisabled());
  await go(page, '/console/');
  await page.getByRole('button', { name: 'Resume sending' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume sending' }).click();
  await page.getByText('Sending is resumed').waitFor();
  await page.getByText('Sending paused').first().waitFor({ state: 'detached' });
});

t.test('an agent is made, held, given a key, and removed after its name was typed', async (t) => {
  const { instance } = started;
  const { page, faults } = await started.person();
  await go(page, '/console/');
  await page.getByRole('link', { name: 'New agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Handle').fill('Nope!');
  await dialog.getByRole('button', { name: 'Make agent' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Handle').fill('courier');
  await dialog.getByRole('button', { name: 'Make agent' }).click();
  await dialog.getByText('Not shown again').waitFor();
  const key = await dialog.locator('output').innerText();
  t.match(key, /^svc_[\w-]{43}$/);
  const me = await fetch(at('/v1/identity'), { headers: { authorization: `Bearer ${key}` } });
  t.match(await me.json(), { handle: 'courier' });
  await dialog.getByRole('link', { name: 'Its settings' }).click();
  await page.waitForURL('**/agents/courier/settings');
  t.ok(await page.getByRole('switch', { name: 'Hold all mail' }).isChecked(), 'held at first');
  await page.getByRole('switch', { name: 'Hold all mail' }).click();
  await page.getByText('courier is not held any more').waitFor();
  await isSoon(t, () => page.getByRole('switch', { name: 'Hold all mail' }).isChecked(), false);

  await page.getByLabel('Address or domain').fill('no domain');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('This is neither an e-mail address nor a domain').waitFor();
  await page.getByLabel('Address or domain').fill('spam.example');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('Mail of spam.example is dropped').waitFor();
  await page
    .getByRole('row', { name: /spam\.example/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /spam\.example/ }).waitFor();

  instance.dns.zone.set('hooks.courier.test', 'A', ['127.0.0.1']);
  const courier = { handle: 'courier', address: '', key };
  const { mailbox_id } = (await (await instance.request(courier, 'GET', '/v1/identity')).json()) as {
    mailbox_id: string;
  };
  const heard = { url: 'https://hooks.courier.test/', events: ['message.sent'], mailbox_id };
  t.match(await (await instance.request(courier, 'POST', '/v1/webhooks', heard)).json(), { secret: /^whsec_/ });
  await page.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByText('courier made 1 webhook endpoint, which goes on').waitFor();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“default” is revoked').waitFor();
  const refused = await fetch(at('/v1/identity'), { headers: { authorization: `Bearer ${key}` } });
  t.equal(refused.status, 401);

  await page.getByRole('button', { name: 'Remove agent' }).click();
  t.ok(await dialog.getByRole('button', { name: 'Remove for good' }).isDisabled());
  await dialog.getByLabel('Type courier').fill('courier');
  await dialog.getByRole('button', { name: 'Remove for good' }).click();
  await page.waitForURL('**/console/agents');
  await settled(page);
  t.notMatch(await page.getByRole('main').innerText(), 'courier');
  t.same(faults, []);
});

t.test(
  'mail is read without a mark, found by its words, archived and brought back; new mail waits to be pressed',
  async (t) => {
    const { instance } = started;
    const { page, faults, strayRequests } = await started.person();
    const { billing, travel } = started.filled().agents;
    await go(page, '/console/agents/billing');
    await page.getByRole('link', { name: /Access to the supplier portal/ }).click();
    const frame = page.frameLocator('iframe').first();
    await frame.getByText('Your account is ready').waitFor();
    const remote = page.getByRole('button', { name: 'Load 1 remote image' }).first();
    await remote.waitFor();
    t.same(strayRequests, [], 'nothing is loaded unasked');
    await remote.click();
    await eventually(async () => strayRequests.length > 0);
    t.match(strayRequests, [/^https:\/\/pixel\.nordkai\.test\//], 'and only where it is asked for');
    const mail = instance.client(billing).messages;
    t.ok(
      (await mail.list({ unread_only: true })).messages.some(({ subject }) => /portal/.test(subject)),
      'still unread',
    );
    await page.keyboard.press('u');
    await page.getByText('Marked read').waitFor();
    const row = page.getByRole('navigation', { name: 'Threads' }).getByRole('link', { name: /Access/ });
    await page.locator('.item.unread', { hasText: 'Access' }).waitFor({ state: 'detached' });
    t.equal(await row.count(), 1, 'the row follows');
    t.notOk((await mail.list({ unread_only: true })).messages.some(({ subject }) => /Access/.test(subject)));

    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    t.notOk((await mail.list({})).messages.some(({ subject }) => subject === 'Access to the supplier portal'));
    await row.waitFor({ state: 'detached' });
    const shown = page.getByLabel('Threads shown');
    await shown.selectOption('Archived');
    await row.waitFor();
    t.match(await row.innerText(), 'archived');
    await row.click();
    await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
    await shown.selectOption('All');
    await row.waitFor();
    await shown.selectOption('Open');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Move back' }).click();
    await row.waitFor();
    t.ok((await mail.list({})).messages.some(({ subject }) => /Access/.test(subject)));
    await row.click();
    await page.keyboard.press('e');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('demurrage');
    await page.getByRole('navigation', { name: 'Found messages' }).getByRole('link').waitFor();
    await page.getByRole('link', { name: /Tidewater/ }).click();
    await page.waitForURL('**/messages/*');
    await page.getByText('Two days are free').last().waitFor();
    await page.getByRole('searchbox').fill('nothing-has-this-word');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('searchbox').fill('');

    await go(page, '/console/agents/billing');
    await page.getByRole('link', { name: /Tidewater/ }).waitFor();
    await instance.client(travel).messages.send({ to: [billing.address], subject: 'Just now', body: 'Live.' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    t.equal(await page.getByRole('link', { name: /Just now/ }).count(), 0, 'nothing moves under the reader');
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('link', { name: /Just now/ }).waitFor();
    t.same(faults, []);
  },
);

t.test(
  'a link to a held mail of another workspace is opened there, after signing in; signing out everywhere ends all',
  async (t) => {
    const { chromium, instance } = started;
    const { ann } = instance.agents;
    const owner = await signInOwner(instance);
    await owner.call('agents/hold', { agent: 'ann' }, 'acme');
    const held = await instance.client(ann).messages.send({
      ...{ to: ['x@remote.test'], subject: 'From the other one', body: 'See the bank.example page and b\u00fccher' },
      html: '<p>See the <a href="https://u@evil.example/login">bank.example</a> page and <a href="https://b\u00fccher.example/">b\u00fccher</a></p>',
    });
    const link = at(`/console/approvals/${(held as { pendingId: string }).pendingId}`);
    const isNotice = ({ rcptTo, raw }: { rcptTo: string[]; raw: Buffer }) =>
      rcptTo.includes(OWNER) && textOf(raw).includes(link);
    await eventually(async () => instance.receiver.messages.some(isNotice));
    const { context, page } = await chromium.open();
    t.teardown(() => context.close());
    await page.goto(link);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(at(await printedLink(instance)));
    await page.evaluate(`sessionStorage.setItem('postroom-workspace', '${SLUG}')`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'From the other one' }).waitFor();
    await page.getByText('Acme').first().waitFor();
    const links = page.getByRole('region', { name: 'Where its links lead' });
    t.equal(
      (await links.innerText()).replace(/\s+/g, ' '),
      'Where its links lead “bank.example” leads to https://u@evil.example/login names another host “b\u00fccher” leads to https://xn--bcher-kva.example/',
    );
    t.same(await links.locator('b').allInnerTexts(), ['evil.example', 'xn--bcher-kva.example']);
    t.equal(await links.locator('a').count(), 0, 'none can be pressed');
    await instance.client(ann).messages.send({
      ...{ to: ['x@remote.test'], subject: 'Lunch', body: 'Lunch at noon?' },
      html: '<style>.x{display:none}</style><p>Lunch at noon?</p><p class="x">Pay 48,000 EUR today.</p>',
    });
    await page.getByRole('link', { name: /Lunch/ }).first().click();
    const words = page.getByRole('region', { name: 'Words of the HTML part' });
    t.match(await words.locator('mark').first().innerText(), /Pay/, 'no style hides it, and the text part lacks it');

    await go(page, '/console/people');
    await page.getByRole('button', { name: 'Invite owner' }).click();
    await page.getByRole('dialog').getByLabel('Address').fill('jonas@remote.test');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page
      .getByRole('row', { name: /jonas@remote\.test.*invited/ })
      .getByRole('button', { name: 'Withdraw' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('row', { name: /jonas@remote\.test/ }).waitFor({ state: 'detached' });
    t.equal((await owner.call('session/get')).status, 200);
    await go(page, '/console/you');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.waitForURL('**/console/sign-in');
    t.equal((await owner.call('session/get')).status, 401);
    t.same(instance.faults, []);
  },
);
