/** A dry run tells what a send would do, and does none of it. */

import t from 'tap';
import { setPlan } from '../../../src/store/accounts/workspaces.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { noonClock } from '../../harness/noon.ts';
import { addSecret } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const MAIL = { to: ['carol@remote.test'], subject: 'Offer', body: 'Our *offer*.' };

const post = async (instance: TestInstance, path: string, body: object, headers: Record<string, string> = {}) => {
  const reply = await fetch(new URL(path, instance.baseUrl), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${instance.agents.ann.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
};

const dryRun = async (instance: TestInstance, mail: object = {}) => {
  const { status, body } = await post(instance, '/v1/messages', { ...MAIL, ...mail, dry_run: true });
  return { status, ...body };
};

const WRITTEN = [
  ...([
    'messages',
    'raw_messages',
    'deliveries',
    'pending_sends',
    'scheduled_sends',
    'events',
    'idempotency_keys',
  ] as const),
  ...(['usage', 'notices', 'correspondents', 'cold_sends', 'body_recipients'] as const),
];

/** Rows of all that a send writes to. */
const countRows = (instance: TestInstance) =>
  instance.inStore(async ({ read }) => {
    const counts: Record<string, number> = {};
    for (const table of WRITTEN) {
      const { count } = await read
        .selectFrom(table as 'messages')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      counts[table] = Number(count);
    }
    return counts;
  });

t.test('of a mail that would be sent: nothing is stored, counted, published or kept', async (t) => {
  await using instance = await startInstance({ runtime: { clock: noonClock() } });
  await instance.inStore((store) => store.write((tx) => setPlan(tx, instance.workspace.id, 'free', null)));
  const { ann } = instance.agents;
  const before = await countRows(instance);
  const html = '<p style="float:left">It <b>costs</b> 42.</p><script>1</script>';
  const answer = await dryRun(instance, { html, cc: ['dave@remote.test'] });
  t.match(answer, {
    ...{ status: 200, dry_run: true, outcome: 'sent', reason: null, hint: null, send_class: 'cold', units: 1 },
    recipients: ['carol@remote.test', 'dave@remote.test'],
    text: /Our \*offer\*\./,
    html: /<p>It <b>costs<\/b> 42\.<\/p>/,
    html_changed: ['style float', 'element script'],
    quota_left: { day: 50, month: 500 },
  });
  const checks = (answer as unknown as { checks: { name: string; verdict: string }[] }).checks;
  t.ok(checks.every(({ verdict }) => verdict === 'pass'));
  for (const name of ['mailbox_expired', 'recipient_suppressed', 'agent_on_hold', 'daily_send_quota_exhausted']) {
    t.ok(
      checks.some((check) => check.name === name),
      name,
    );
  }
  const key = { 'idempotency-key': 'offer-1' };
  t.match((await post(instance, '/v1/messages', { ...MAIL, dry_run: true }, key)).body, { outcome: 'sent' });
  t.same(await countRows(instance), before);
  t.match(await instance.client(ann).identity.get({}), { usage: { day: { sent: 0 } } });
  t.match((await post(instance, '/v1/messages', MAIL, key)).body, { status: 'sent' }, 'the key is free');
  t.match(await dryRun(instance), { quota_left: { day: 49, month: 499 } });
  await instance.receiver.waitFor(1);
  t.equal(instance.receiver.messages.length, 1);
  t.same(instance.faults, []);
});

t.test('of a mail that would be held: neither the mail nor a notice', async (t) => {
  await using instance = await startInstance();
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const before = await countRows(instance);
  t.match(await dryRun(instance, { html: '<p onclick="x()">Hi</p>' }), {
    ...{
      status: 200,
      outcome: 'held',
      reason: 'agent_on_hold',
      hint: 'A person reviews all that you send, replies too.',
    },
    html_changed: ['attribute onclick'],
  });
  t.match(await dryRun(instance, { body: '&'.repeat(300_000) }), {
    outcome: 'rejected',
    reason: 'too_long_to_review',
  });
  t.same(await countRows(instance), before);
});

t.test('of a mail that would be rejected: each check that refuses it, and the first as the reason', async (t) => {
  await using instance = await startInstance({ runtime: { clock: noonClock() } });
  await instance.suppress('carol@remote.test');
  const many = Array.from({ length: 6 }, (_, n) => `r${n}@remote.test`);
  const before = await countRows(instance);
  const answer = await dryRun(instance, { cc: many });
  t.match(answer, {
    ...{ status: 200, outcome: 'rejected', reason: 'too_many_recipients_max_5', hint: /At most five/ },
    ...{ text: null, html: null, html_changed: [] },
  });
  const { checks } = answer as unknown as { checks: { name: string; verdict: string }[] };
  t.same(
    checks.filter(({ verdict }) => verdict !== 'pass'),
    [
      { name: 'too_many_recipients', verdict: 'reject' },
      { name: 'recipient_suppressed', verdict: 'reject' },
    ],
  );
  t.match(await dryRun(instance), { reason: 'recipient_suppressed:carol@remote.test', hint: /bounced or complained/ });
  t.match(await dryRun(instance, { reply_to_message_id: crypto.randomUUID(), to: ['x@remote.test'] }), {
    reason: 'reply_target_not_found',
  });
  t.same(await countRows(instance), before);

  await instance.inStore((store) => store.write((tx) => setPlan(tx, instance.workspace.id, 'free', null)));
  for (let n = 0; n < 50; n += 1) {
    const to = [`one${n}@remote.test`];
    const body = String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26)).repeat(5);
    const { body: sent } = await post(instance, '/v1/messages', { ...MAIL, to, body });
    if (sent.status !== 'sent') break;
  }
  const late = await dryRun(instance, { to: ['y@remote.test'] });
  t.match(late, { outcome: 'rejected', retryAfter: String, text: /Our/, html: /<em>offer<\/em>/ });
});

t.test('a request for later, or with time to take it back, is no dry run', async (t) => {
  await using instance = await startInstance();
  const refusal = { status: 400, body: { error: 'invalid_request', hint: /send_at/ } };
  const later = { send_at: new Date(Date.now() + 60_000).toISOString() };
  for (const more of [later, { undo_seconds: 5 }]) {
    t.match(await post(instance, '/v1/messages', { ...MAIL, ...more, dry_run: true }), refusal);
  }
  t.match(await dryRun(instance, { undo_seconds: 0 }), { outcome: 'sent' });
});

t.test('replies and forwards, by the client and by tools', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  await sendMail(instance.smtpPort, { to: [ann.address], headers: { Cc: 'dave@remote.test' } });
  const api = instance.client(ann);
  const id = await eventually(async () => (await api.messages.list({})).messages[0]?.id);
  const before = await countRows(instance);
  const reply = await api.messages.reply({ id, body: 'Yes.', dry_run: true });
  t.match(reply, { dry_run: true, outcome: 'sent', recipients: ['carol@remote.test'], text: /Yes\./ });
  t.match(await api.messages.replyAll({ id, body: 'Yes.', dry_run: true }), {
    recipients: ['carol@remote.test', 'dave@remote.test'],
  });
  await using mcp = await connectMcp(instance, ann);
  const forwarded = await mcp.call('forward_message', { id, to: [bob.address], body: 'See.', dry_run: true });
  t.match(forwarded.structured, { dry_run: true, outcome: 'sent', text: null, html: null, recipients: [bob.address] });
  t.ok(
    forwarded.texts.some((text) => /^Written by you or by those you quote: .*See\./s.test(text)),
    'what it quotes stands in the marked block',
  );
  t.same(await countRows(instance), before);
  t.match(await mcp.call('send_message', MAIL), { structured: { status: 'sent', messageId: String } });
});

t.test('tells nothing of secrets that the agent may not open', async (t) => {
  await using instance = await startInstance();
  await addSecret(instance, 'Mine', 'other', { data: 'open-sesame-4711' }, { grants: ['ann'] });
  await addSecret(instance, 'Other', 'other', { data: 'swordfish-0815' });
  t.match(await dryRun(instance, { body: 'It is open-sesame-4711.' }), { outcome: 'held', reason: 'holds_a_secret' });
  t.match(await dryRun(instance, { body: 'It is swordfish-0815.' }), { outcome: 'sent', reason: null });
  t.match((await post(instance, '/v1/messages', { ...MAIL, body: 'It is swordfish-0815.' })).body, {
    reason: 'holds_a_secret',
  });
});
