import t from 'tap';
import { KEPT_AFTER_EXPIRY_MS } from '../../../src/resources/temp-addresses/expired-mailboxes.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp, type McpAgent } from '../../harness/mcp/mcp-client.ts';
import { refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;

const movedClock = () => {
  const clock = { at: Date.now(), now: () => clock.at };
  return clock;
};

const make = async (agent: McpAgent, args: Record<string, unknown> = {}) => {
  const { structured } = await agent.call('create_temp_address', args);
  return structured as { address: string; label: string | null; expires_at: string };
};

t.test('from its making to its end', async (t) => {
  const clock = movedClock();
  await using instance = await startInstance({ runtime: { clock } });
  await using ann = await connectMcp(instance, instance.agents.ann);
  const made = await make(ann, { ttl_seconds: 600, label: 'Shop' });
  t.match(made.address, /^tmp-[a-z2-9]{16}@acme\.agents\.box\.test$/);
  t.match(made, { label: 'Shop', expires_at: new Date(clock.at + 10 * MINUTE).toISOString() });
  t.same((await ann.call('list_temp_addresses')).structured, { addresses: [made] });
  const { address } = made;

  t.match(await sendMail(instance.smtpPort, { to: [address], text: 'Your code is 402913.' }), /^250/);
  t.match(await sendMail(instance.smtpPort, { to: [address.toUpperCase()], headers: { Subject: 'Second' } }), /^250/);
  const read = await ann.call('get_temp_messages', { address });
  t.match(read.told, {
    messages: [
      { subject: 'Second', text: String },
      { subject: 'A question', text: /^Your code is 402913\./, codes: ['402913'], unread: false },
    ],
  });
  t.match(read.texts[1], /^Written by an outside sender/);
  t.equal(read.texts.length, 2, 'one block for all of them');
  t.notMatch(JSON.stringify(read.structured), /402913|Second/);
  t.same((await ann.call('list_messages')).structured.messages, [], 'it is a mailbox of its own');
  t.match((await ann.call('search_messages', { q: '402913' })).structured.hits, []);

  const [message] = read.structured.messages as { id: string }[];
  const whole = await ann.call('get_message', { message_id: message?.id });
  t.match(whole.told, { id: message?.id, subject: 'Second' }, 'its mail is read by id too');
  await using bob = await connectMcp(instance, instance.agents.bob);
  t.match((await bob.call('get_message', { message_id: message?.id })).refusal, { error: 'message_not_found' });
  t.match((await ann.call('reply_to_message', { message_id: message?.id, body: 'x' })).refusal, {
    error: 'message_not_found',
  });
  const waiting = ann.call('wait_for_email', { address, timeout_seconds: 50 });
  await sendMail(instance.smtpPort, { to: [address], headers: { Subject: 'Third' } });
  t.match((await waiting).told, { message: { subject: 'Third' }, timed_out: false });
  t.match((await bob.call('wait_for_email', { address })).refusal, { error: 'temp_address_not_found_or_expired' });
  clock.at += 10 * MINUTE;
  t.match((await ann.call('get_temp_messages', { address })).refusal, { error: 'temp_address_not_found_or_expired' });
  t.same((await ann.call('list_temp_addresses')).structured.addresses, []);
  t.match(await refusalOf(instance.smtpPort, { to: [address] }), /^550 5\.2\.1/, 'expired');
  await instance.daemon.jobs.runAll();
  t.match(await refusalOf(instance.smtpPort, { to: [address] }), /^550 5\.2\.1/, 'kept while mail may be under way');
  clock.at += KEPT_AFTER_EXPIRY_MS + 1;
  await instance.daemon.jobs.runAll();
  t.match(await refusalOf(instance.smtpPort, { to: [address] }), /^550 5\.1\.1/, 'and then unknown');
  const left = await instance.inStore(async ({ read: db }) => ({
    messages: await db.selectFrom('messages').select('id').execute(),
    texts: await db.selectFrom('message_texts').select('seq').execute(),
    raw: await db.selectFrom('raw_messages').select('id').execute(),
    temporary: await db.selectFrom('mailboxes').select('id').where('receive_only', '=', 1).execute(),
  }));
  t.same(left, { messages: [], texts: [], raw: [], temporary: [] }, 'its mail is gone with it');
  t.same(instance.faults, []);
});

t.test('five at once, each its own agent’s, ended by hand', async (t) => {
  const clock = movedClock();
  await using instance = await startInstance({ runtime: { clock } });
  await using ann = await connectMcp(instance, instance.agents.ann);
  await using bob = await connectMcp(instance, instance.agents.bob);
  const answers = await Promise.all(Array.from({ length: 8 }, () => ann.call('create_temp_address')));
  const made = answers.filter(({ refusal }) => refusal === null).map(({ structured }) => String(structured.address));
  t.equal(made.length, 5, 'also where they are asked for at once');
  t.equal(new Set(made).size, 5);
  t.match(answers.find(({ refusal }) => refusal)?.refusal, { error: 'temp_address_limit_reached', hint: String });
  t.match(
    (await ann.call('list_temp_addresses')).structured.addresses,
    made.map(() => ({ label: null })),
  );
  const [address = ''] = made;

  t.match((await bob.call('get_temp_messages', { address })).refusal, { error: 'temp_address_not_found_or_expired' });
  t.match((await bob.call('delete_temp_address', { address })).refusal, { error: 'temp_address_not_found' });
  t.same((await bob.call('list_temp_addresses')).structured.addresses, []);
  await make(bob);

  t.same((await ann.call('delete_temp_address', { address })).structured, { deleted: true });
  t.match((await ann.call('delete_temp_address', { address })).refusal, { error: 'temp_address_not_found' });
  t.match((await ann.call('get_temp_messages', { address })).refusal, { error: 'temp_address_not_found_or_expired' });
  t.match(await refusalOf(instance.smtpPort, { to: [address] }), /^550 5\.2\.1/);
  t.match((await make(ann)).address, /^tmp-/, 'there is room again');

  const own = { address: instance.agents.ann.address };
  t.match((await ann.call('delete_temp_address', own)).refusal, { error: 'temp_address_not_found' }, 'never its own');
  for (const nonsense of ['', 'x', 'tmp-none@acme.agents.box.test', 'a@b\r\nc']) {
    t.match((await ann.call('delete_temp_address', { address: nonsense })).refusal, {
      error: 'temp_address_not_found',
    });
  }
  for (const ttl_seconds of [599, 86_401, 0, -1, 1e12, 1.5]) {
    t.match((await ann.call('create_temp_address', { ttl_seconds })).refusal, { error: 'invalid_request' });
  }
});

t.test('it only receives: it sends nothing, holds no key, and stands in no list', async (t) => {
  const clock = movedClock();
  await using instance = await startInstance({ runtime: { clock } });
  await using ann = await connectMcp(instance, instance.agents.ann);
  const { address, expires_at } = await make(ann, {});
  t.equal(Date.parse(expires_at) - clock.at, 60 * MINUTE, 'an hour, where nothing is said');
  await sendMail(instance.smtpPort, { to: [address], headers: { Subject: 'Reply to me' } });
  const { messages } = (await ann.call('get_temp_messages', { address })).structured as { messages: { id: string }[] };
  const id = messages[0]?.id;
  t.match((await ann.call('reply_to_message', { message_id: id, body: 'x' })).refusal, { error: 'message_not_found' });
  const reply = { to: ['carol@remote.test'], subject: 'Re', body: 'x', reply_to_message_id: id };
  t.match((await ann.call('send_message', reply)).structured, { status: 'rejected', reason: 'reply_target_not_found' });
  t.match((await ann.call('whoami')).structured, { address: instance.agents.ann.address });
  const identity = await (await instance.request(instance.agents.ann, 'GET', '/v1/identity')).json();
  t.match(identity, { address: instance.agents.ann.address });
  await instance.restart();
  await using again = await connectMcp(instance, instance.agents.ann);
  t.match((await again.call('get_temp_messages', { address })).told.messages, [{ subject: 'Reply to me' }]);
});

t.test('many mails in an expired mailbox go in parts, and shared bytes stay with who else has them', async (t) => {
  const clock = movedClock();
  await using instance = await startInstance({ runtime: { clock } });
  await using ann = await connectMcp(instance, instance.agents.ann);
  const { address } = await make(ann);
  await sendMail(instance.smtpPort, { to: [address, instance.agents.bob.address], headers: { Subject: 'To both' } });
  for (let count = 0; count < 12; count += 1) {
    await Promise.all(Array.from({ length: 10 }, () => sendMail(instance.smtpPort, { to: [address] })));
  }
  clock.at += 25 * 60 * MINUTE;
  await instance.daemon.jobs.runAll();
  const count = await instance.inStore(
    async ({ read }) => (await read.selectFrom('messages').select('id').execute()).length,
  );
  t.equal(count, 1);
  const bob = instance.client(instance.agents.bob);
  const [mail] = (await bob.messages.list({})).messages;
  t.match(await bob.messages.get({ id: mail?.id ?? '' }), { subject: 'To both', text: /Hello/ });
});
