/** What an owner sets up is done, changed and undone by clicks: people, agents and their keys, domains, webhooks, addresses. */

import type { Page } from 'playwright-core';
import t from 'tap';
import type { DnsRecordView } from '../../../src/resources/domains/contract.ts';
import { cliJson } from '../../harness/cli.ts';
import { addVerified, publish } from '../../harness/domains.ts';
import { type HttpReceiver, startHttpReceiver } from '../../harness/http/http-receiver.ts';
import { faultOfSignature, HOOKS, trustReceivers } from '../../harness/http/webhooks.ts';
import type { TestAgent } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { button, heading, isSoon, press, said, settled } from '../fit.ts';
import { startConsole } from '../started.ts';

const BAD_HOST = 'busy.test';

let hooks: HttpReceiver;
let zoe: TestAgent;
const started = startConsole(t, {
  network: trustReceivers(),
  receiver: { onRcpt: (to) => (to.endsWith(BAD_HOST) ? { code: 451, text: '4.3.2 Busy, later' } : undefined) },
  prepare: async ({ dns, addAgent }) => {
    zoe = await addAgent('zoe');
    hooks = await startHttpReceiver(HOOKS);
    dns.zone.set(HOOKS, 'A', ['127.0.0.1']);
    dns.zone.set(BAD_HOST, 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  },
});
t.teardown(() => hooks.close());
const { flow } = started;

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
/** The value that is shown once; its dialog is closed. */
const shownOnce = async (page: Page): Promise<string> => {
  const value = await page.getByRole('dialog').locator('output').innerText();
  await press(page, 'I have copied it');
  return value;
};

/** A text field of the open dialog. */
const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('textbox', { name });

flow('an owner is invited and the invitation withdrawn, another is removed', 'people', async (t, page) => {
  const { configPath } = started.instance;
  await cliJson(configPath, 'owners', 'add', 'late@remote.test', '--workspace', 'acme');
  await button(page, 'Invite owner').click();
  await field(page, 'Address').fill('jonas@remote.test');
  await press(page, 'Invite');
  await said(page, 'An invitation is on its way to jonas@remote.test');
  await row(page, 'jonas@remote.test').getByText('invited').waitFor();
  await row(page, 'jonas@remote.test').getByRole('button').click();
  await press(page, 'Withdraw');
  await row(page, 'jonas@remote.test').waitFor({ state: 'detached' });

  await row(page, 'late@remote.test').getByRole('button', { name: 'Remove' }).click();
  await press(page, 'Remove');
  await row(page, 'late@remote.test').waitFor({ state: 'detached' });
  t.equal(await page.getByRole('button', { name: 'Remove' }).count(), 0, 'the last one stays');
  const { owners } = await cliJson(configPath, 'owners', 'list', '--workspace', 'acme');
  t.notMatch(JSON.stringify(owners), 'late@remote.test');
});

flow('a key is made, does what it may, and is revoked', 'agents/ann/settings', async (t, page) => {
  const { instance } = started;
  const ask = async (key: string, path: string): Promise<number> =>
    (await fetch(new URL(path, instance.baseUrl), { headers: { authorization: `Bearer ${key}` } })).status;
  await button(page, 'New key').click();
  await field(page, 'Name').fill('build');
  await page.getByLabel('Contacts', { exact: true }).uncheck();
  await page.getByLabel(/^The whole workspace/).check();
  await button(page, 'Make key').click();
  await page.getByRole('heading', { name: '“build” is made' }).waitFor();
  const key = await shownOnce(page);
  await row(page, 'build').getByText('mail:read mail:send notes vault manage in the workspace').waitFor();
  t.same([await ask(key, '/v1/messages'), await ask(key, '/v1/contacts')], [200, 403]);
  await row(page, 'build').getByRole('button', { name: 'Revoke' }).click();
  await press(page, 'Revoke');
  await row(page, 'build').getByText('revoked').waitFor();
  t.equal(await ask(key, '/v1/messages'), 401);
});

flow(
  'an agent is held, guarded, filtered, suspended, resumed, and removed for good',
  'agents/zoe/settings',
  async (t, page) => {
    const { instance } = started;
    const get = () => cliJson(instance.configPath, 'agents', 'show', 'zoe');
    for (const [name, on, off] of [
      ['Hold all mail', 'zoe is held', 'zoe is not held any more'],
      ['Guard', 'zoe is guarded', 'zoe is not guarded any more'],
    ] as const) {
      await page.getByRole('switch', { name }).click();
      await said(page, on);
      await page.getByRole('switch', { name, checked: true }).click();
      await said(page, off);
    }
    await button(page, 'Change the name').click();
    await field(page, 'Name').fill('Zoe of Sales');
    await press(page, 'Save');
    await page.getByText('Zoe of Sales', { exact: true }).waitFor();
    t.match(await get(), { display_name: 'Zoe of Sales' });
    await page.getByLabel('Filter mode').selectOption('whitelist');
    await said(page, 'Only known and allowed senders are taken');
    t.match(await get(), { hold: false, guard: false, filter_mode: 'whitelist' });

    const send = () => sendMail(instance.smtpPort, { to: [zoe.address] });
    await button(page, 'Suspend').click();
    await press(page, 'Suspend');
    await said(page, 'zoe is suspended');
    await t.rejects(send());
    await button(page, 'Resume').click();
    await said(page, 'zoe is resumed');
    await t.resolves(send());

    await button(page, 'Remove agent').click();
    t.ok(await button(page, 'Remove for good').isDisabled(), 'its name is to be typed');
    await page.getByRole('dialog').getByRole('textbox').fill('zoe');
    await press(page, 'Remove for good');
    await heading(page, 'Agents').waitFor();
    t.equal(await page.getByRole('main').getByRole('link', { name: 'zoe' }).count(), 0);
    await t.rejects(send());
  },
);

flow(
  'a domain is added, its records are copied and published, and it sends; it is removed',
  'domains',
  async (t, page) => {
    const { instance } = started;
    const { zone } = instance.dns;
    await button(page, 'Add domain').click();
    await field(page, 'Domain').fill('mail.halden.example');
    await press(page, 'Add domain');
    await heading(page, 'mail.halden.example').waitFor();
    await page.getByText(/^It cannot send/).waitFor();
    await button(page, 'Check now').click();
    await said(page, 'mail.halden.example was checked; records are still to be put right');

    const { domains } = (await cliJson(instance.configPath, ...['domains', 'list', '--workspace', 'acme'])) as {
      domains: { domain: string; records: DnsRecordView[] }[];
    };
    const { records = [] } = domains.find(({ domain }) => domain === 'mail.halden.example') ?? {};
    await page.getByText('Zone file', { exact: true }).click();
    const file = await page.locator('pre.zone').innerText();
    for (const { name, type } of records) t.match(file, new RegExp(`^${name}\\.\\s.*\\b${type}\\b`, 'm'));
    await page.getByText('Records', { exact: true }).click();
    publish(zone, records);
    zone.set('mail.halden.example', 'MX', [{ exchange: 'mx.elsewhere.example', priority: 10 }]);
    await button(page, 'Check now').click();
    await row(page, 'mx.elsewhere.example').waitFor();
    publish(zone, records);
    await button(page, 'Check now').click();
    await said(page, 'mail.halden.example is verified');
    await isSoon(t, () => page.getByText(/^It cannot send/).count(), 0);

    await button(page, 'Remove domain').click();
    await press(page, 'Remove domain');
    await heading(page, 'Domains').waitFor();
    t.equal(await row(page, 'mail.halden.example').count(), 0);
  },
);

flow('a webhook is made, tested, edited, paused, given a new secret, and deleted', 'webhooks', async (t, page) => {
  const { instance } = started;
  await button(page, 'New webhook').first().click();
  await field(page, 'URL').fill(`https://${HOOKS}:${hooks.port}/in`);
  await page.getByText('Headers and a body of your own').click();
  await field(page, 'Headers').fill('no header');
  await button(page, 'Add webhook').click();
  await page.getByText('“no header” is no header. Write it as name: value.').waitFor();
  await field(page, 'Headers').fill('x-team: ops');
  await button(page, 'Add webhook').click();
  await page.getByRole('heading', { name: 'The signing secret' }).waitFor();
  const first = await shownOnce(page);
  await heading(page, HOOKS)
    .or(heading(page, `${HOOKS}:${hooks.port}`))
    .waitFor();

  await button(page, 'Send a test').click();
  await page.getByText('It was taken.').waitFor();
  const [test] = await hooks.waitFor(1);
  t.equal(test?.headers['x-team'], 'ops');
  t.equal(test && faultOfSignature(test, first), null);

  await button(page, 'Edit').click();
  await page.getByText('Headers and a body of your own').click();
  await field(page, 'Body').fill('{ "text": ');
  await button(page, 'Save').click();
  await page.getByText('The body is not JSON.').waitFor();
  await field(page, 'Body').fill('{ "text": "{{data.subject}}" }');
  await press(page, 'Save');
  await said(page, 'The endpoint is saved');

  await page.getByRole('switch', { name: 'On' }).click();
  await said(page, 'The endpoint is paused');
  await page.getByRole('switch', { name: 'On', checked: false }).click();
  await said(page, 'The endpoint is on');

  await button(page, 'New secret').click();
  await button(page, 'Make secret').click();
  await page.getByRole('heading', { name: 'The signing secret' }).waitFor();
  const second = await shownOnce(page);
  t.not(second, first);
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: 'Is it told?' } });
  const told = (await hooks.waitFor(2))[1];
  t.same(JSON.parse(`${told?.body}`), { text: 'Is it told?' });
  t.same(told && [faultOfSignature(told, first), faultOfSignature(told, second)], [null, null], 'both for a day');

  await button(page, 'Delete').click();
  await press(page, 'Delete webhook');
  await page.getByText('No webhooks yet').waitFor();
});

flow('an address is suppressed, found, given free, and suppressed again', 'suppressions', async (_t, page) => {
  await button(page, 'Suppress').click();
  await field(page, 'Address').fill('no@such.test');
  await press(page, 'Suppress');
  await said(page, 'No mail goes to no@such.test any more');
  await page.getByLabel('Find an address').fill('no@');
  await row(page, 'no@such.test').getByText('by hand').waitFor();
  await page.getByLabel('Find an address').fill('yes@');
  await page.getByText('No suppressed address begins with “yes@”').waitFor();
  await page.getByLabel('Find an address').fill('');
  await row(page, 'no@such.test').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No address is suppressed').waitFor();
  await button(page, 'Undo').click();
  await row(page, 'no@such.test').waitFor();
});

flow('a delivery that waits is read, tried at once, and cancelled', 'mail', async (t, page) => {
  const { instance } = started;
  const ann = instance.client(instance.agents.ann);
  const to = `carol@${BAD_HOST}`;
  const { messageId: id = '' } = await ann.messages.send({ to: [to], subject: 'Is it there?', body: 'Hi' });
  const delivery = async () => (await ann.messages.get({ id })).deliveries[0];
  await eventually(async () => (await delivery())?.status === 'deferred');
  await started.go(page, '/console/queue');
  await row(page, 'Is it there?').getByText('deferred').waitFor();
  await button(page, 'Is it there?').click();
  t.match(await page.getByRole('dialog').locator('pre').innerText(), '451 4.3.2 Busy, later');
  await press(page, 'Close');
  await row(page, 'Is it there?').getByRole('button', { name: 'Try now' }).click();
  await said(page, `Trying ${to} now`);
  await instance.daemon.outbound.idle();
  t.equal((await delivery())?.attempts, 2);
  await row(page, 'Is it there?').getByRole('button', { name: 'Cancel' }).click();
  await press(page, 'Cancel delivery');
  await page.getByText('Nothing is under way').waitFor();
  t.match(await delivery(), { status: 'cancelled' });
});

flow('who approves sees where the links of a held mail lead', 'approvals', async (t, page) => {
  const { instance } = started;
  await cliJson(instance.configPath, 'agents', 'hold', 'bob');
  const bob = instance.client(instance.agents.bob);
  const html = [
    '<a href="https://evil.example/pay">https://bank.example/pay</a>',
    '<a href="https://halden.example/">halden.example</a>',
  ].join(' ');
  await bob.messages.send({ to: ['carol@remote.test'], subject: 'Please pay', body: 'Please pay', html });
  await heading(page, 'Please pay').waitFor();
  await settled(page);
  const links = page.getByRole('region', { name: 'Where its links lead' });
  await links.getByText('names another host').waitFor();
  t.match(
    await links.locator('li').first().innerText(),
    /“https:\/\/bank\.example\/pay” leads to https:\/\/evil\.example\/pay/,
  );
  await links.getByText('1 link leads where it says').click();
  t.match(await links.locator('details').innerText(), 'https://halden.example/');
});

flow('a new agent gets an address on the verified domain of its owner', 'agents', async (t, page) => {
  const { instance } = started;
  await addVerified(instance, instance.agents.ann, 'shop.halden.example');
  await page.reload();
  await button(page, 'New agent').first().click();
  const domain = page.getByRole('dialog').getByLabel('Domain');
  await isSoon(t, () => domain.inputValue(), 'shop.halden.example');
  await page.getByRole('textbox', { name: 'Handle' }).fill('cora');
  await button(page, 'Make agent').click();
  await said(page, 'cora@shop.halden.example');
});
