/** The daily work on domains, with the clock set forward. */

import t from 'tap';
import { DAY, HOUR } from '../../../src/kernel/clock.ts';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { findDomain } from '../../../src/store/accounts/domains.ts';
import { runCli } from '../../harness/cli.ts';
import {
  addDomain,
  addVerified,
  createTestClock,
  type DomainReply,
  publish,
  recordOf,
  request,
} from '../../harness/domains.ts';
import { REMOTE_DOMAIN, startInstance, type TestAgent } from '../../harness/instance.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const clock = createTestClock();
const instance = await startInstance({ runtime: { clock } });
t.teardown(() => instance[Symbol.asyncDispose]());
const { ann } = instance.agents;
const { zone } = instance.dns;

const find = async (domain: string): Promise<DomainReply | undefined> => {
  const { body } = await request<{ domains: DomainReply[] }>(instance, ann, 'GET', '/v1/domains');
  return body.domains.find((each) => each.domain === domain);
};
const nextDay = async (): Promise<void> => {
  clock.skip(DAY);
  await instance.daemon.jobs.runAll();
};
const send = async (agent: TestAgent): Promise<number> => {
  const mail = { to: [`carol@${REMOTE_DOMAIN}`], subject: 'Hello', body: `Hi ${clock.now()}.` };
  return (await request(instance, agent, 'POST', '/v1/messages', mail)).status;
};
const verifiedEvents = async (domain: string): Promise<number> =>
  (await instance.events()).filter(({ name, data }) => name === 'domain.verified' && data.domain === domain).length;

t.test('a pending domain is verified by the nightly check', async (t) => {
  const { body } = await addDomain(instance, ann, 'later.example');
  await t.rejects(sendMail(instance.smtpPort, { to: ['postmaster@later.example'] }), /We do not relay mail/);
  publish(zone, body.records);
  clock.skip(HOUR);
  await instance.daemon.jobs.runAll();
  t.match(await find('later.example'), { status: 'pending', last_checked_at: null }, 'not due yet');
  await nextDay();
  t.match(await find('later.example'), { status: 'verified', can_send: true });
  t.equal(await verifiedEvents('later.example'), 1);
  const act = (await listActs(instance)).find(
    ({ action, subject }) => action === 'domain.check' && subject === 'later.example',
  );
  t.match(act, { actor: 'postroom', via: 'daemon', detail: { status: 'verified' } });
  await nextDay();
  t.equal(await verifiedEvents('later.example'), 1, 'told once');
});

t.test('one that breaks turns failing after two days, the owner is told, and it comes back', async (t) => {
  await addVerified(instance, ann, 'breaks.example');
  const { api_key: key, address } = (await asOperator(instance, (call) =>
    call(agentsContract.add, { handle: 'breaker', workspace: 'acme', domain: 'breaks.example' }),
  )) as { api_key: string; address: string };
  const agent = { handle: 'breaker', address, key };
  t.equal(await send(agent), 200);
  const spf = zone.get('breaks.example', 'TXT');
  zone.set('breaks.example', 'TXT', ['v=spf1 -all']);
  for (const _ of ['first', 'second']) {
    await nextDay();
    t.match(await find('breaks.example'), { status: 'verified', can_send: true });
  }
  await nextDay();
  const failing = await find('breaks.example');
  t.match(failing, { status: 'failing', can_send: false });
  t.match(failing && recordOf(failing, 'spf'), { status: 'mismatch', hint: /Insert a:mx\.box\.test/ });
  t.equal(await send(agent), 422);
  const listNotices = () => instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('owner@remote.test'));
  const notices = await eventually(async () => (listNotices().length > 0 ? listNotices() : null));
  const notice = notices.at(-1)?.raw.toString('latin1') ?? '';
  t.match(notice, /Subject: The domain breaks\.example can no longer send/);
  await nextDay();
  t.equal(listNotices().length, notices.length);
  for (const to of [address, 'postmaster@breaks.example', 'abuse@breaks.example']) {
    t.match(await sendMail(instance.smtpPort, { to: [to] }), /^250/, 'it receives');
  }

  zone.set('breaks.example', 'TXT', spf);
  await nextDay();
  t.match(await find('breaks.example'), { status: 'verified', can_send: true });
  t.equal(await verifiedEvents('breaks.example'), 2);
  t.equal(await send(agent), 200);
});

t.test('records that nothing answers for, as in a network that loses packets, turn no domain failing', async (t) => {
  const { records } = await addVerified(instance, ann, 'slow.example');
  const dkim = recordOf({ records }, 'dkim').name;
  zone.fail(dkim, 'silent');
  zone.fail('mx.box.test', 'SERVFAIL');
  for (const _ of ['first', 'second', 'third']) await nextDay();
  const slow = await find('slow.example');
  t.match(slow, { status: 'verified', can_send: true });
  t.match(slow && recordOf(slow, 'dkim'), { status: 'unchecked', hint: /could not be looked up/ });
  t.match(slow && recordOf(slow, 'spf'), { status: 'mismatch' });
  for (const name of [dkim, 'mx.box.test']) zone.fail(name, null);
  await nextDay();
  t.match(await find('slow.example'), { status: 'verified', dkim_status: 'verified' });
});

t.test('a failing domain that another workspace proves is lost', async (t) => {
  const other = await instance.addWorkspace('Buyer');
  const buyer = await instance.addAgent('buyer', other);
  const lost = await addVerified(instance, ann, 'sold.example');
  for (const { name } of lost.records) zone.delete(name);
  for (const _ of ['first', 'second', 'third']) await nextDay();
  t.match(await find('sold.example'), { status: 'failing' });
  t.match(await addVerified(instance, buyer, 'sold.example'), { status: 'verified' });
  t.match(await find('sold.example'), { status: 'pending', verified_at: null });
});

t.test('a claim that is not verified lapses after 30 days, unless mailboxes are on it', async (t) => {
  await addDomain(instance, ann, 'idle.example');
  await addDomain(instance, ann, 'lived-in.example');
  const setStatus = (status: 'verified' | 'pending') =>
    instance.inStore((store) =>
      store.write(async (tx) => {
        await tx.db
          .updateTable('domains')
          .set({ status })
          .where('name', '=', 'lived-in.example' as never)
          .execute();
      }),
    );
  // As where another workspace has proved it meanwhile.
  await setStatus('verified');
  await asOperator(instance, (call) =>
    call(agentsContract.add, { handle: 'settler', workspace: 'acme', domain: 'lived-in.example' }),
  );
  await setStatus('pending');
  clock.skip(29 * DAY);
  await instance.daemon.jobs.runAll();
  t.ok(await find('idle.example'));
  clock.skip(2 * DAY);
  await instance.daemon.jobs.runAll();
  t.notOk(await find('idle.example'));
  t.match(await find('lived-in.example'), { status: 'pending' });
  t.match(await find('breaks.example'), { status: 'verified' });
  const acts = await listActs(instance);
  t.match(
    acts.find(({ action, subject }) => action === 'domain.remove' && subject === 'idle.example'),
    { actor: 'postroom', detail: { reason: 'not verified within 30 days' } },
  );
  t.same(instance.faults, []);
});

t.test('the subdomain of a removed workspace is checked no more', async (t) => {
  const subdomain = (slug: string) => instance.inStore((store) => findDomain(store.read, `${slug}.agents.box.test`));
  const isChecked = async (slug: string): Promise<boolean> => (await subdomain(slug))?.lastCheckedAt !== null;
  const ended = await instance.addWorkspace('Ended');
  const lasting = await instance.addWorkspace('Lasting');
  t.equal((await runCli(instance.configPath, 'workspaces', 'remove', ended.slug, '--yes')).code, 0);
  await nextDay();
  t.same([await isChecked(ended.slug), await isChecked(lasting.slug)], [false, true]);
  t.match(await subdomain(lasting.slug), { checkResult: {} });
  t.equal((await runCli(instance.configPath, 'workspaces', 'remove', lasting.slug, '--yes')).code, 0);
  await nextDay();
  t.match(await subdomain(lasting.slug), { checkResult: null }, 'of its name alone a row stays');
});
