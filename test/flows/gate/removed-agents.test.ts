/** Suspension and removal of an agent, and what becomes of its mail. */

import t from 'tap';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { keysContract } from '../../../src/resources/agents/keys/contract.ts';
import { cliJson } from '../../harness/cli.ts';
import { openStream } from '../../harness/http/event-stream.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { beginSession, mcpRequest, toolCall } from '../../harness/mcp/mcp-request.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { eventually, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;

const send = async (instance: TestInstance, agent: TestAgent, change: object = {}) => {
  const mail = { to: ['carol@remote.test'], subject: 'Offer', body: 'Our offer.', ...change };
  const response = await instance.request(agent, 'POST', '/v1/messages', mail);
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

/** By a key that reaches the workspace. */
const asWide = async (instance: TestInstance, agent: TestAgent): Promise<TestAgent> => {
  const { key } = await cliJson(instance.configPath, 'keys', 'add', agent.handle, '--reach', 'workspace');
  return { ...agent, key: String(key) };
};

const deliveriesOf = (instance: TestInstance) =>
  instance.inStore(({ read }) =>
    read.selectFrom('deliveries').select(['address', 'status', 'due_at', 'attempts']).execute(),
  );

const count = (instance: TestInstance, table: 'messages' | 'threads' | 'mailboxes' | 'pending_sends' | 'webhooks') =>
  instance.inStore(async ({ read }) => (await read.selectFrom(table).select('id').execute()).length);

t.test('a suspended agent takes and sends no mail, and reads; what is queued goes on', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  instance.dns.zone.fail('slow.test', 'SERVFAIL');
  await send(instance, ann, { to: ['dave@slow.test'] });
  await eventually(async () => (await deliveriesOf(instance)).some(({ status }) => status === 'deferred'));
  await sendMail(instance.smtpPort, { to: [ann.address] });

  await cliJson(instance.configPath, 'agents', 'suspend', 'ann');
  t.match(await refusalOf(instance.smtpPort, { to: [ann.address] }), /^550 5\.2\.1/);
  t.match(await send(instance, ann), { status: 422, body: { reason: 'mailbox_inactive' } });
  const acts: [method: string, path: string, body?: object][] = [
    ['POST', '/v1/webhooks', { url: 'https://hooks.test/', events: ['message.received'] }],
    ['POST', '/v1/mailboxes', { handle: 'second' }],
    ['POST', '/v1/domains', { domain: 'shop.example' }],
    ['PATCH', '/v1/identity', { handle: 'renamed' }],
    ['POST', '/v1/notes', { body: 'A note.' }],
    ['GET', '/v1/secrets/01900000-0000-7000-8000-00000000abcd'],
  ];
  for (const [method, path, body] of acts) {
    const response = await instance.request(ann, method, path, body);
    t.match([response.status, await response.json()], [403, { error: 'agent_suspended' }], `${method} ${path}`);
  }
  const booked = await send(instance, ann, { send_at: new Date(Date.now() + 2_000).toISOString() });
  t.equal(booked.status, 202, 'a booking is checked when it is due');
  const listed = await instance.request(ann, 'GET', '/v1/messages');
  t.equal(((await listed.json()) as { messages: unknown[] }).messages.length, 2, 'its keys read');
  await eventually(async () => {
    const path = `/v1/messages/scheduled/${booked.body.scheduled_id}`;
    const outcome = (await (await instance.request(ann, 'GET', path)).json()) as Record<string, string>;
    return outcome.status === 'failed' && outcome.failure_reason === 'mailbox_inactive';
  });

  const [waiting] = await deliveriesOf(instance);
  t.match(waiting, { status: 'deferred', due_at: Number });
  instance.dns.zone.fail('slow.test', null);
  instance.dns.zone.set('slow.test', 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  const { queue } = (await cliJson(instance.configPath, 'queue', 'list')) as { queue: { id: string }[] };
  await cliJson(instance.configPath, 'queue', 'retry', queue[0]?.id ?? '');
  const [mail] = await instance.receiver.waitFor(1);
  t.same(mail?.rcptTo, ['dave@slow.test'], 'what was accepted before is delivered');

  await cliJson(instance.configPath, 'agents', 'resume', 'ann');
  t.match(await sendMail(instance.smtpPort, { to: [ann.address] }), /^250/);
  t.equal((await send(instance, ann)).status, 200);
  t.same(instance.faults, []);
});

t.test('a removed agent ends at once: keys, streams, sessions, address, and what it would still send', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const bob = await asWide(instance, instance.agents.bob);
  instance.dns.zone.fail('slow.test', 'SERVFAIL');
  const tomorrow = new Date(Date.now() + DAY).toISOString();
  const queued = await send(instance, ann, { to: ['dave@slow.test', 'erin@slow.test'] });
  await send(instance, bob, { to: ['frank@slow.test'] });
  await eventually(
    async () => (await deliveriesOf(instance)).filter(({ status }) => status === 'deferred').length === 3,
  );
  const booked = await send(instance, ann, { send_at: tomorrow });
  t.equal(booked.status, 202);
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  t.equal((await send(instance, ann)).status, 202);
  await sendMail(instance.smtpPort, { to: [ann.address] });
  const stream = await openStream(instance, ann);
  const session = await beginSession(instance, ann);
  const waiting = instance.request(ann, 'GET', '/v1/messages/wait?timeout=50&subject=none');
  await instance.request(ann, 'GET', '/v1/identity');

  const removed = await cliJson(instance.configPath, 'agents', 'remove', 'ann', '--yes');
  t.match(removed, { handle: 'ann', removed: true });
  const answer = await instance.request(ann, 'GET', '/v1/messages');
  t.equal(answer.status, 401);
  t.match(await answer.json(), { error: 'invalid_key' });
  t.equal((await waiting).status, 401);
  await stream.rest();
  t.equal((await mcpRequest(instance, ann, { headers: session, body: toolCall(2, 'whoami') })).status, 401);
  await eventually(async () => instance.daemon.toolSessions.count === 0);
  t.match(await refusalOf(instance.smtpPort, { to: [ann.address] }), /^550 5\.1\.1/);

  t.same(
    (await deliveriesOf(instance))
      .filter(({ address }) => address.endsWith('@slow.test'))
      .map(({ address, status, due_at }) => [address, status, due_at === null])
      .sort(),
    [
      ['dave@slow.test', 'cancelled', true],
      ['erin@slow.test', 'cancelled', true],
      ['frank@slow.test', 'deferred', false],
    ],
    "its queued mail is cancelled, and no other's",
  );
  const sends = await instance.inStore(async ({ read }) => ({
    booked: await read.selectFrom('scheduled_sends').select(['status', 'request']).execute(),
    held: await read.selectFrom('pending_sends').select(['status', 'decision_note', 'mime']).execute(),
    message: await read.selectFrom('messages').select('status').where('direction', '=', 'out').executeTakeFirst(),
  }));
  t.same(sends.booked, [{ status: 'cancelled', request: null }]);
  t.same(sends.held, [{ status: 'rejected', decision_note: 'The agent was removed.', mime: null }]);
  t.match(queued.body, { status: 'sent' });
  t.ok((await instance.events()).some(({ name }) => name === 'approval.rejected'));
  const again = await instance.request(bob, 'POST', '/v1/mailboxes', { handle: 'ann' });
  t.match(await again.json(), { error: 'handle_taken' }, 'its handle is never given again');
  t.match(await listActs(instance, 'acme'), { 0: { action: 'agent.remove', subject: 'ann' } });
  t.same(instance.faults, []);
});

t.test('the mail of a removed agent is deleted once its time is over, and no other mail', async (t) => {
  const clock = movableClock();
  await using instance = await startInstance({ runtime: { clock }, toml: '[agents]\nkeep_removed_mail_days = 7\n' });
  const { ann, bob } = instance.agents;
  for (let at = 0; at < 12; at += 1) {
    await Promise.all(Array.from({ length: 10 }, () => sendMail(instance.smtpPort, { to: [ann.address] })));
  }
  await sendMail(instance.smtpPort, { to: [ann.address, bob.address] });
  t.equal((await send(instance, ann)).status, 200);
  await instance.receiver.waitFor(1);
  const before = await count(instance, 'mailboxes');
  await asOperator(instance, (call) => call(agentsContract.remove, { agent: 'ann' }));
  await instance.daemon.jobs.runAll();
  t.equal(await count(instance, 'messages'), 123, 'it is kept at first');
  clock.pass(6 * DAY);
  await instance.daemon.jobs.runAll();
  t.equal(await count(instance, 'messages'), 123);
  clock.pass(DAY);
  await instance.daemon.jobs.runAll();
  t.equal(await count(instance, 'messages'), 1);
  const { keys } = await asOperator(instance, (call) => call(keysContract.list, {}));
  t.same(
    keys.map(({ handle }) => handle),
    ['bob'],
    'its keys go as well',
  );
  t.equal(await count(instance, 'threads'), 1);
  t.equal(await count(instance, 'mailboxes'), before - 1);
  const left = await instance.inStore(({ read }) =>
    read.selectFrom('agents').select('handle').where('cleanup_at', 'is not', null).execute(),
  );
  t.same(left, [], 'and it is not looked at again');
  t.match(await listActs(instance, 'acme'), { 0: { action: 'agent.purge', subject: 'ann', actor: 'postroom' } });
  t.equal((await instance.client(bob).messages.list({})).messages.length, 1);
  const again = await instance.request(await asWide(instance, bob), 'POST', '/v1/mailboxes', {
    handle: 'ann',
  });
  t.match(await again.json(), { error: 'handle_taken' });
  t.same(instance.faults, []);
});

t.test('a delivery whose attempt is in progress at the removal is cancelled once that has failed', async (t) => {
  const begun = Promise.withResolvers<void>();
  const refusal = Promise.withResolvers<{ code: number; text: string }>();
  const onData = () => {
    begun.resolve();
    return refusal.promise;
  };
  await using instance = await startInstance({ receiver: { onData } });
  await send(instance, instance.agents.ann);
  await begun.promise;
  await asOperator(instance, (call) => call(agentsContract.remove, { agent: 'ann' }));
  await instance.daemon.jobs.runAll();
  t.match(await deliveriesOf(instance), [{ status: 'queued' }], 'the host may still take it');
  refusal.resolve({ code: 451, text: '4.3.0 Later' });
  await eventually(async () => (await deliveriesOf(instance)).some(({ status }) => status === 'deferred'));
  await instance.daemon.jobs.runAll();
  t.match(await deliveriesOf(instance), [{ status: 'cancelled', due_at: null }]);
  t.same(instance.faults, []);
});
