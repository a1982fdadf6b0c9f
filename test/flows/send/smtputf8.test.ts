/** Addresses outside ASCII (RFC 6531), and what else a mail can be refused for on its way out. */

import t from 'tap';
import { findAgent, updateAgent } from '../../../src/store/accounts/agents.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

const JOERG = 'jörg@remote.test';

const post = async (instance: TestInstance, agent: TestAgent, body: object, path = '/v1/messages') => {
  const response = await instance.request(agent, 'POST', path, body);
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

const mailTo = (to: string[], more: object = {}) => ({ to, subject: 'Grüße', body: 'Hallo.', ...more });

const deliveriesOf = (instance: TestInstance, id: string) =>
  eventually(async () => {
    const { deliveries } = await instance.client(instance.agents.ann).messages.get({ id });
    return deliveries.every(({ next_attempt_at: next }) => next === null) && deliveries;
  });

t.test('they are sent to, answered, forwarded to and held, by every way', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const sent = await post(instance, ann, mailTo([`Jörg <${JOERG}>`], { cc: ['dave@remote.test'] }));
  t.match(sent, { status: 200, body: { status: 'sent' } });
  const [first, second] = await instance.receiver.waitFor(2);
  t.same([first?.rcptTo, second?.rcptTo].flat().sort(), ['dave@remote.test', JOERG]);
  for (const each of [first, second]) {
    t.equal(each?.smtpUtf8, true, 'the header has the address, for every recipient');
    t.match(each?.raw.toString(), /^To: .*<jörg@remote\.test>\r$/m);
    t.match(each?.raw.toString(), /^DKIM-Signature:/m);
  }
  const message = await api.messages.get({ id: sent.body.messageId ?? '' });
  t.same(message.to, [`Jörg <${JOERG}>`]);
  t.match(await deliveriesOf(instance, message.id), [
    { address: JOERG, status: 'delivered' },
    { address: 'dave@remote.test', status: 'delivered' },
  ]);

  await sendMail(instance.smtpPort, {
    from: JOERG,
    to: [ann.address],
    raw: plainMail({ headers: { From: `Jörg <${JOERG}>`, Cc: 'büro@remote.test', 'Message-ID': '<ü@remote.test>' } }),
  });
  const id = (await api.messages.list({ direction: 'in' })).messages[0]?.id ?? '';
  t.match(await post(instance, ann, { body: 'Ja.' }, `/v1/messages/${id}/reply`), { status: 200 });
  t.match(await post(instance, ann, { body: 'Ja.' }, `/v1/messages/${id}/reply-all`), { status: 200 });
  t.match(await post(instance, ann, { to: ['zoë@remote.test'] }, `/v1/messages/${id}/forward`), { status: 200 });
  await using mcp = await connectMcp(instance, ann);
  t.match((await mcp.call('send_message', mailTo([JOERG]))).structured, { status: 'sent' });
  const received = await instance.receiver.waitFor(7);
  t.same(
    received
      .slice(2)
      .flatMap(({ rcptTo }) => rcptTo)
      .sort(),
    ['büro@remote.test', JOERG, JOERG, JOERG, 'zoë@remote.test'],
  );

  await instance.inStore(async (store) => {
    const found = await findAgent(store.read, ann.handle);
    if (found) await store.write((tx) => updateAgent(tx, found.id, { hold: true }));
  });
  const held = await post(instance, ann, mailTo([JOERG]));
  t.equal(held.status, 202);
  await instance.daemon.heldDecisions.approve(
    held.body.pendingId as Parameters<typeof instance.daemon.heldDecisions.approve>[0],
    'owner',
    null,
    async () => null,
  );
  await eventually(async () => instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes(JOERG)).length === 5);
  t.same(instance.faults, []);
});

t.test(
  'a host without SMTPUTF8: that delivery fails, nothing is suppressed, and the others have their copy',
  async (t) => {
    await using instance = await startInstance({ receiver: { smtpUtf8: false } });
    const { ann } = instance.agents;
    const sent = await post(instance, ann, mailTo([JOERG], { cc: ['dave@remote.test'] }));
    const deliveries = await deliveriesOf(instance, sent.body.messageId ?? '');
    t.match(deliveries, [
      { address: JOERG, status: 'bounced', enhanced_code: '5.6.7' },
      { address: 'dave@remote.test', status: 'delivered' },
    ]);
    const [copy] = await instance.receiver.waitFor(1);
    t.ok(
      copy?.raw.every((octet) => octet < 0x80),
      'in ASCII',
    );
    t.match(copy?.raw.toString(), /^To: =\?UTF-8\?B\?asO2cmdAcmVtb3RlLnRlc3Q=\?= :;\r$/m, 'the other is named');
    t.match(copy?.raw.toString(), /^DKIM-Signature:/m);
    t.match(
      (await instance.events()).find(({ name }) => name === 'message.bounced'),
      { data: { to: [JOERG], bounce_type: 'permanent' } },
    );
    const notice = (await instance.client(ann).messages.list({ direction: 'in' })).messages[0];
    t.match((await instance.client(ann).messages.get({ id: notice?.id ?? '' })).text, /This mail alone was not taken/);
    const suppressed = await instance.request(ann, 'GET', '/v1/suppressions');
    t.same(await suppressed.json(), { suppressions: [], next_cursor: null });
    t.match(await post(instance, ann, mailTo([JOERG])), { status: 200 });
    t.same(instance.faults, []);
  },
);

t.test('a refusal of the thread that makes a mail keeps its code', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const bad = '"a<b"@remote.test';
  t.match(await post(instance, ann, mailTo([bad])), {
    status: 400,
    body: { error: 'invalid_email', hint: /"a<b"@remote/ },
  });
  await using mcp = await connectMcp(instance, ann);
  t.match((await mcp.call('send_message', mailTo([bad]))).refusal, { error: 'invalid_email' });
  t.match(await post(instance, ann, mailTo(['"a b"@remote.test'])), { status: 200 }, 'a blank is no bracket');
  t.same(instance.faults, []);
});

t.test('scheduled sends: beyond ASCII, failed where refused, and given up where they cannot be composed', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const send_at = new Date(clock.at + 60_000).toISOString();
  const schedule = async (to: string) => (await post(instance, ann, mailTo([to], { send_at }))).body.scheduled_id ?? '';
  const [good, refused, broken] = [
    await schedule(JOERG),
    await schedule('"a<b"@remote.test'),
    await schedule('dave@remote.test'),
  ];
  await instance.inStore((store) =>
    store.write(async (tx) => {
      // What no code of ours writes: its time comes, and it cannot be read.
      await tx.db
        .updateTable('scheduled_sends')
        .set({ request: Buffer.from('no zstd') })
        .where('to_list', 'like', '%dave%')
        .execute();
    }),
  );
  clock.at += 60_000;
  await instance.daemon.scheduledDispatch.runDue();
  t.match(await api.scheduled.getScheduled({ id: good }), { status: 'sent' });
  t.match(await api.scheduled.getScheduled({ id: refused }), { status: 'failed', failure_reason: 'invalid_email' });
  await instance.receiver.waitFor(1);

  t.equal(instance.faults.length, 1, 'the broken one is logged once');
  await Promise.all([instance.daemon.scheduledDispatch.runDue(), instance.daemon.scheduledDispatch.runDue()]);
  t.equal(instance.faults.length, 1, 'and is not tried again at once');
  t.match(await api.scheduled.getScheduled({ id: broken }), { status: 'pending' });
  const pauses: number[] = [];
  for (let last = clock.at; pauses.length < 20; ) {
    if ((await api.scheduled.getScheduled({ id: broken })).status !== 'pending') break;
    const before = instance.faults.length;
    while (instance.faults.length === before) {
      clock.at += 5_000;
      await instance.daemon.scheduledDispatch.runDue();
    }
    pauses.push((clock.at - last) / 1000);
    last = clock.at;
  }
  t.same(pauses, [5, 30, 120, 600, 1800, 3600, 7200, 14_400], 'ever more rarely');
  t.match(await api.scheduled.getScheduled({ id: broken }), { status: 'failed', failure_reason: 'internal_error' });
  const { length } = instance.faults;
  clock.at += 86_400_000;
  await instance.daemon.scheduledDispatch.runDue();
  t.equal(instance.faults.length, length, 'and then no more');
});
