import t from 'tap';
import type { PendingId } from '../../../src/kernel/ids.ts';
import { findAgent, updateAgent } from '../../../src/store/accounts/agents.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;

const clockAt = (start: number) => {
  const clock = { at: start, now: () => clock.at };
  return clock;
};

const setFlags = (instance: TestInstance, agent: TestAgent, flags: { hold?: boolean; guard?: boolean }) =>
  instance.inStore(async (store) => {
    const found = await findAgent(store.read, agent.handle);
    if (found) await store.write((tx) => updateAgent(tx, found.id, flags));
  });

const post = async (instance: TestInstance, agent: TestAgent, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(new URL('/v1/messages', instance.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ to: ['carol@remote.test'], subject: 'Offer', body: 'Our offer.', ...body }),
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    body: (await response.json()) as Record<string, string>,
  };
};

t.test('held mail: approved as it was written, rejected, or expired after a week', async (t) => {
  const clock = clockAt(Date.now());
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const api = instance.client(ann);
  await setFlags(instance, ann, { hold: true });

  const held = await post(instance, ann, {});
  t.equal(held.status, 202);
  t.match(held.body, { status: 'held', pendingId: String });
  t.match(held.body, { reason: 'agent_on_hold', expires_at: String, approval_url: /\/console\/approvals\// });
  const id = held.body.pendingId as PendingId;
  t.match(await api.pending.listPending({}), {
    pending: [
      { pending_id: id, subject: 'Offer', to: ['carol@remote.test'], send_class: 'cold', reason: 'agent_on_hold' },
    ],
  });
  t.match(await api.pending.getPending({ id }), { status: 'pending', message_id: null, decided_at: null });
  t.equal((await api.messages.list({})).messages.length, 0, 'it is not among the messages');
  t.match(
    await instance
      .client(instance.agents.bob)
      .pending.getPending({ id })
      .catch((e: unknown) => e),
    { code: 'pending_not_found' },
  );
  const [notice] = await instance.receiver.waitFor(1);
  t.same(notice?.rcptTo, ['owner@remote.test'], 'the owner is notified');
  t.match(notice?.raw.toString(), /^Auto-Submitted: auto-generated\r$/m);

  t.match(await instance.daemon.heldDecisions.approve(id, 'owner', null, async () => null), { kind: 'decided' });
  const [, sent] = await instance.receiver.waitFor(2);
  t.same(sent?.rcptTo, ['carol@remote.test']);
  const outcome = await api.pending.getPending({ id });
  t.match(outcome, { status: 'approved', failure_reason: null, decided_at: String, message_id: String });
  t.equal((await api.messages.get({ id: outcome.message_id ?? '' })).subject, 'Offer');
  t.match(await instance.daemon.heldDecisions.reject(id, 'owner', 'too late', async () => null), {
    kind: 'already',
    pending: { status: 'approved' },
  });

  const second = (await post(instance, ann, {})).body.pendingId as PendingId;
  await instance.daemon.heldDecisions.reject(second, 'owner', 'Not at this price.', async () => null);
  t.match(await api.pending.getPending({ id: second }), {
    status: 'rejected',
    decision_note: 'Not at this price.',
    message_id: null,
    hint: /`decision_note` asks for is a new send/,
  });

  const third = (await post(instance, ann, {})).body.pendingId as PendingId;
  clock.at += 7 * DAY - 1000;
  await instance.daemon.jobs.runAll();
  t.match(await api.pending.getPending({ id: third }), { status: 'pending' });
  clock.at += 1000;
  await instance.daemon.jobs.runAll();
  t.match(await api.pending.getPending({ id: third }), {
    status: 'expired',
    message_id: null,
    hint: /nobody decided in time/,
  });
  t.match(await instance.daemon.heldDecisions.approve(third, 'owner', null, async () => null), {
    kind: 'already',
    pending: { status: 'expired' },
  });

  const fourth = (await post(instance, ann, { to: ['dave@remote.test'] })).body.pendingId as PendingId;
  await instance.suppress('dave@remote.test');
  await instance.daemon.heldDecisions.approve(fourth, 'owner', null, async () => null);
  t.match(await api.pending.getPending({ id: fourth }), {
    status: 'approved',
    failure_reason: 'recipient_suppressed:dave@remote.test',
    message_id: null,
  });
  t.equal((await api.pending.listPending({})).pending.length, 0);
  t.same(
    (await instance.events()).filter(({ name }) => name.startsWith('approval.')).map(({ name }) => name),
    [
      ...['approval.requested', 'approval.approved', 'approval.requested', 'approval.rejected'],
      ...['approval.requested', 'approval.expired', 'approval.requested', 'approval.failed'],
    ],
  );
  t.same(instance.faults, []);
});

t.test('a guarded agent is held only where the thread does not authenticate', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await setFlags(instance, ann, { guard: true });
  t.match(await post(instance, ann, {}), { status: 200 });
  instance.dns.zone.set('_dmarc.remote.test', 'TXT', ['v=DMARC1; p=none']);
  await sendMail(instance.smtpPort, { to: [ann.address] });
  const id = (await instance.client(ann).messages.list({ unread_only: true })).messages[0]?.id;
  t.match(await post(instance, ann, { reply_to_message_id: id }), { status: 202, body: { status: 'held' } });
  t.match((await instance.client(ann).pending.listPending({})).pending, [{ reason: 'guarded', send_class: 'cold' }]);
});

t.test('scheduled sends are sent at their time, once, or not at all', async (t) => {
  const clock = clockAt(Date.now());
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const at = (ms: number) => new Date(clock.at + ms).toISOString();
  for (const send_at of [at(-1000), at(0), at(30 * DAY + 60_000), 'tomorrow', '2026-13-01T00:00:00Z']) {
    t.match(await post(instance, ann, { send_at }), { status: 400, body: { error: 'invalid_request' } }, send_at);
  }
  const { hint } = (await post(instance, ann, { send_at: at(-1000) })).body as { hint?: string };
  t.ok(hint?.includes(`; it is ${at(0)}`), 'a model has no clock');
  const soon = await post(instance, ann, { send_at: at(3_600_000), subject: 'Soon' });
  t.equal(soon.status, 202);
  t.match(soon.body, { status: 'scheduled', scheduled_id: String, send_at: at(3_600_000) });
  const later = await post(instance, ann, { send_at: at(29 * DAY), subject: 'Later' });
  const never = await post(instance, ann, { send_at: at(1_800_000), subject: 'Never' });
  t.same(
    (await api.scheduled.listScheduled({})).scheduled.map(({ subject }) => subject),
    ['Never', 'Soon', 'Later'],
  );
  const neverId = never.body.scheduled_id ?? '';
  t.same(await api.scheduled.cancelScheduled({ id: neverId }), { scheduled_id: neverId, cancelled: true });
  t.same(
    await api.scheduled.cancelScheduled({ id: neverId }),
    { scheduled_id: neverId, cancelled: true },
    'again is the same',
  );
  t.match(await api.scheduled.getScheduled({ id: neverId }), { status: 'cancelled' });

  clock.at += 3_600_000;
  await Promise.all([instance.daemon.scheduledDispatch.runDue(), instance.daemon.scheduledDispatch.runDue()]);
  const id = soon.body.scheduled_id ?? '';
  const outcome = await api.scheduled.getScheduled({ id });
  t.match(outcome, { status: 'sent', message_id: String, pending_id: null, failure_reason: null });
  await instance.receiver.waitFor(1);
  const tooLate = await instance.request(ann, 'DELETE', `/v1/messages/scheduled/${id}`);
  t.equal(tooLate.status, 409);
  t.match(await tooLate.json(), { scheduled_id: id, status: 'sent' });

  await instance.restart();
  await setFlags(instance, ann, { hold: true });
  clock.at += 29 * DAY;
  await instance.daemon.scheduledDispatch.runDue();
  const held = await api.scheduled.getScheduled({ id: later.body.scheduled_id ?? '' });
  t.match(held, { status: 'held', pending_id: String });
  await setFlags(instance, ann, { hold: false });

  const missing = await post(instance, ann, {
    send_at: at(1000),
    reply_to_message_id: '01890000-0000-7000-8000-000000000000',
  });
  clock.at += 1000;
  await instance.daemon.scheduledDispatch.runDue();
  t.match(await api.scheduled.getScheduled({ id: missing.body.scheduled_id ?? '' }), {
    status: 'failed',
    failure_reason: 'reply_target_not_found',
  });
  t.equal((await api.scheduled.listScheduled({})).scheduled.length, 0);
  t.same(
    instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('carol@remote.test')).length,
    1,
    'one of five left',
  );
  t.match(await api.scheduled.getScheduled({ id: crypto.randomUUID() }).catch((e: unknown) => e), {
    code: 'scheduled_not_found',
  });
});

t.test('cancelling and sending race: exactly one takes effect', async (t) => {
  const clock = clockAt(Date.now());
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const scheduledDispatch = await Promise.all(
    Array.from({ length: 20 }, () => post(instance, ann, { send_at: new Date(clock.at + 60_000).toISOString() })),
  );
  const ids = scheduledDispatch.map(({ body }) => body.scheduled_id ?? '');
  clock.at += 60_000;
  const [answers] = await Promise.all([
    Promise.all(ids.map(async (id) => (await instance.request(ann, 'DELETE', `/v1/messages/scheduled/${id}`)).status)),
    instance.daemon.scheduledDispatch.runDue(),
    instance.daemon.scheduledDispatch.runDue(),
  ]);
  const ends = await Promise.all(ids.map((id) => api.scheduled.getScheduled({ id })));
  for (const [index, { status }] of ends.entries()) {
    t.equal(answers[index], status === 'cancelled' ? 200 : 409, `the cancellation returned ${status}`);
  }
  const sent = ends.filter(({ status }) => status === 'sent').length;
  t.equal(ends.filter(({ status }) => status === 'cancelled').length + sent, 20);
  await eventually(async () =>
    (await api.messages.list({ limit: 100 })).messages.every(({ status }) => status === 'delivered'),
  );
  t.equal(instance.receiver.messages.length, sent, 'each that was sent arrived once');
});

t.test('an Idempotency-Key gives the first reply again, and never a second mail', async (t) => {
  const clock = clockAt(Date.now());
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const key = { 'idempotency-key': 'order 17' };
  const first = await post(instance, ann, {}, key);
  const again = await post(instance, ann, {}, key);
  t.equal(again.status, 200);
  t.equal(again.replayed, 'true');
  t.same(again.body, first.body);
  t.match(await post(instance, ann, { subject: 'Another' }, key), {
    status: 409,
    body: { error: 'idempotency_key_reused' },
  });
  t.match(
    await post(instance, instance.agents.bob, {}, key),
    { status: 200, replayed: null },
    "another key's keys are its own",
  );
  for (const bad of ['', 'ü', 'x'.repeat(257)]) {
    const answer = await post(instance, ann, {}, { 'idempotency-key': bad }).catch((error: Error) => error.message);
    t.match(answer, typeof answer === 'string' ? /header|ByteString/i : { status: 400 }, JSON.stringify(bad));
  }
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@remote.test`);
  t.match(await post(instance, ann, { to: six }, { 'idempotency-key': 'r1' }), { status: 422 });
  t.match(await post(instance, ann, {}, { 'idempotency-key': 'r1' }), { status: 200 }, 'a refusal is not kept');

  const many = await Promise.all(
    Array.from({ length: 10 }, () => post(instance, ann, {}, { 'idempotency-key': 'burst' })),
  );
  const ids = new Set(many.flatMap(({ body }) => body.messageId ?? []));
  t.equal(ids.size, 1, 'ten at once make one mail');
  for (const { status, body } of many) {
    t.match(
      { status, body },
      status === 200 ? { body: { status: 'sent' } } : { status: 409, body: { error: 'idempotency_in_flight' } },
    );
  }

  const send_at = new Date(clock.at + 60_000).toISOString();
  const booked = await post(instance, ann, { send_at }, { 'idempotency-key': 'b1' });
  t.same((await post(instance, ann, { send_at }, { 'idempotency-key': 'b1' })).body, booked.body);
  await instance.restart();
  t.same((await post(instance, ann, {}, key)).body, first.body, 'also after a restart');
  clock.at += DAY;
  await instance.daemon.jobs.runAll();
  t.not((await post(instance, ann, {}, key)).body.messageId, first.body.messageId, 'for a day');
});
