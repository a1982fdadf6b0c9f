/** What a send, an answer and a list take and give beyond the bare minimum. */

import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { alignMailOf } from '../../harness/net/aligned.ts';
import { tlsByFiles } from '../../harness/net/certificate.ts';
import { noonClock } from '../../harness/noon.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { SUBMISSION, submit } from '../../harness/smtp/submission.ts';

const post = async (instance: TestInstance, path: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(new URL(path, instance.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.agents.ann.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    body: (await response.json()) as Record<string, string>,
  };
};
const MAIL = { to: ['carol@remote.test'], subject: 'Offer', body: 'Our *offer*.' };

const text = (raw: Buffer | undefined): string => (raw?.toString() ?? '').replace(/=\r\n/g, '');

t.test('reply answers the sender alone, reply-all everybody; Reply-To goes before From', async (t) => {
  await using instance = await startInstance({ runtime: { clock: noonClock() } });
  alignMailOf(instance, 'remote.test');
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const to = `Ann <${ann.address}>, ${ann.address.replace('@', '+shop@')}, dave@remote.test`;
  const take = async (headers: Record<string, string>) => {
    await sendMail(instance.smtpPort, { to: [ann.address], headers: { To: to, Cc: 'eve@remote.test', ...headers } });
    return (await api.messages.list({ limit: 1 })).messages[0]?.id ?? '';
  };
  const recipients = async (path: string) => {
    const { body } = await post(instance, path, { body: 'Yes.' });
    const { to, cc, subject, in_reply_to } = await api.messages.get({ id: body.messageId ?? '' });
    t.equal(subject, 'Re: A question');
    t.ok(in_reply_to);
    return { to, cc };
  };
  const plain = await take({});
  t.same(await recipients(`/v1/messages/${plain}/reply`), { to: ['Carol <carol@remote.test>'], cc: [] });
  t.same(await recipients(`/v1/messages/${plain}/reply-all`), {
    to: ['Carol <carol@remote.test>'],
    cc: ['dave@remote.test', 'eve@remote.test'],
  });
  const elsewhere = await take({ 'Reply-To': 'Desk <desk@remote.test>' });
  t.same(await recipients(`/v1/messages/${elsewhere}/reply`), { to: ['Desk <desk@remote.test>'], cc: [] });
  const long = `reply+${'000c89caea14b0bf53caf17f'.repeat(4)}@reply.remote.test`;
  const thread = await take({ 'Reply-To': `acme/docs <${long}>` });
  t.same(await recipients(`/v1/messages/${thread}/reply`), { to: [`acme/docs <${long}>`], cc: [] }, "as GitHub's");
  const itself = await take({ 'Reply-To': ann.address });
  t.match(await post(instance, `/v1/messages/${itself}/reply`, { body: 'x' }), {
    status: 422,
    body: { error: 'no_recipients' },
  });
  t.match(await post(instance, `/v1/messages/${plain}/reply`, {}), { status: 400, body: { error: 'body_required' } });
  t.match(await post(instance, `/v1/messages/${crypto.randomUUID()}/reply`, { body: 'x' }), {
    status: 404,
    body: { error: 'message_not_found' },
  });

  await using mcp = await connectMcp(instance, ann);
  const toOf = async (tool: string) => {
    const { structured } = await mcp.call(tool, { message_id: plain, body: 'By tool.' });
    const { to, cc } = await api.messages.get({ id: String(structured.messageId) });
    return [...to, ...cc].length;
  };
  t.equal(await toOf('reply_to_message'), 1);
  t.equal(await toOf('reply_all_to_message'), 3);
  t.match((await mcp.call('whoami')).structured, {
    usage: { day: { sent: 0.6, limit: null }, sending_state: 'normal' },
  });
  t.same(instance.faults, []);
});

t.test('bcc, reply_to and html, at once and scheduled', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const api = instance.client(instance.agents.ann);
  const whole = {
    ...MAIL,
    bcc: ['Eve <eve@remote.test>'],
    reply_to: 'Desk\u0007 <desk@acme.test>',
    html: '<h1>Our offer</h1><script>alert(1)</script>\r\n.\r\nBcc: x@y.test',
  };
  t.match(
    await post(instance, '/v1/messages', whole),
    { status: 400, body: { error: 'invalid_email' } },
    'no control character',
  );
  const mail = { ...whole, reply_to: 'Desk <desk@acme.test>' };
  const check = async (count: number, id: string) => {
    const received = (await instance.receiver.waitFor(count)).slice(-2);
    t.same(received.flatMap(({ rcptTo }) => rcptTo).sort(), ['carol@remote.test', 'eve@remote.test']);
    for (const { raw } of received) {
      t.match(text(raw), /^Reply-To: .*<desk@acme\.test>\r$/m);
      t.notMatch(text(raw).split('\r\n\r\n')[0] ?? '', /^bcc:|eve@/im, 'Bcc is not in the header');
      t.match(text(raw), /^Our \*offer\*\.\r$/m, 'the text as given');
      t.match(text(raw), /<h1 style=3D"font-size:32px">Our offer<\/h1>\r\n\.\.?\r\nBcc: x@y\.test/, 'the HTML too');
      t.notMatch(text(raw), /<em>/, 'and no rendering of it');
    }
    const message = await api.messages.get({ id });
    t.same([message.to, message.cc, message.text.trim()], [['carol@remote.test'], [], 'Our *offer*.']);
    t.match(
      message.deliveries.map(({ address }) => address),
      ['carol@remote.test', 'eve@remote.test'],
    );
  };
  const sent = await post(instance, '/v1/messages', mail);
  await check(2, sent.body.messageId ?? '');

  const booked = await post(instance, '/v1/messages', { ...mail, send_at: new Date(clock.at + 60_000).toISOString() });
  clock.at += 60_000;
  await instance.daemon.scheduledDispatch.runDue();
  const { message_id } = await api.scheduled.getScheduled({ id: booked.body.scheduled_id ?? '' });
  await check(4, message_id ?? '');

  const of = (n: number, name: string) => Array.from({ length: n }, (_, i) => `${name}${i}@remote.test`);
  const few = { ...MAIL, to: of(2, 'a'), cc: of(2, 'b'), bcc: of(1, 'c') };
  t.match(await post(instance, '/v1/messages', few), { status: 200 });
  for (const many of [
    { ...few, bcc: of(2, 'c') },
    { ...MAIL, to: of(6, 'a') },
    { ...MAIL, bcc: of(5, 'c') },
  ]) {
    t.match(await post(instance, '/v1/messages', many), { status: 422, body: { reason: 'too_many_recipients_max_5' } });
  }
  t.match(await post(instance, '/v1/messages', { ...MAIL, to: [] }), {
    status: 400,
    body: { error: 'invalid_request', hint: /`to`/ },
  });
  t.match(await post(instance, '/v1/messages', { ...MAIL, bcc: ['nobody'] }), {
    status: 400,
    body: { error: 'invalid_email' },
  });
  t.match(await post(instance, '/v1/messages', { ...MAIL, html: 'x'.repeat(1_000_001) }), { status: 400 });
  t.same(instance.faults, []);
});

t.test('a reviewer of a held mail sees its Reply-To and its HTML', async (t) => {
  const tls = tlsByFiles(t);
  await using instance = await startInstance({ tls, toml: SUBMISSION });
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const reply = await submit(instance, instance.agents.ann, { to: 'boss@peer.test', replyTo: 'attacker@evil.test' });
  const id = /as (\S+)/.exec(reply)?.[1] ?? '';
  t.match(await cliJson(instance.configPath, 'pending', 'show', id), { reply_to: ['attacker@evil.test'] });
  t.match((await runCli(instance.configPath, 'pending', 'show', id)).stdout, /reply_to\s+attacker@evil\.test/i);
  const notice = await eventually(async () => instance.receiver.messages[0]);
  t.match(text(notice.raw), /Answers go to: `attacker@evil\.test`/);
});

t.test('the same by REST, with null for what is not wanted', async (t) => {
  await using instance = await startInstance();
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const nothing = {
    cc: null,
    bcc: null,
    attachments: null,
    track_opens: null,
    send_at: null,
    reply_to_message_id: null,
  };
  const held = await post(instance, '/v1/messages', {
    ...MAIL,
    ...nothing,
    reply_to: 'desk@acme.test',
    html: '<p>Other words</p>',
  });
  t.equal(held.status, 202);
  t.match(await (await instance.request(instance.agents.ann, 'GET', '/v1/messages/pending')).json(), {
    pending: [{ reply_to: ['desk@acme.test'], bcc: [], reason: 'agent_on_hold', hint: /person/ }],
  });
  t.match(await cliJson(instance.configPath, 'pending', 'show', held.body.pendingId ?? ''), {
    reply_to: ['desk@acme.test'],
    html_text: /Other words/,
  });
  for (const wrong of [{ to: null }, { subject: null }, { body: null }, { to: [null] }, { unknown: null }]) {
    t.match(await post(instance, '/v1/messages', { ...MAIL, ...wrong }), { status: 400 }, JSON.stringify(wrong));
  }
  const agent = await instance.request(instance.agents.ann, 'PATCH', '/v1/identity', {
    handle: null,
    display_name: null,
  });
  t.match(await agent.json(), { handle: 'ann', display_name: null }, 'where null means something, it does');
});

t.test('a body is the same whatever the order of its keys', async (t) => {
  await using instance = await startInstance();
  const key = { 'idempotency-key': 'one' };
  const attachment = { filename: 'a.txt', content_type: 'text/plain', content_base64: 'YQ==' };
  const first = await post(instance, '/v1/messages', { ...MAIL, attachments: [attachment] }, key);
  const reordered = {
    attachments: [Object.fromEntries(Object.entries(attachment).reverse())],
    ...Object.fromEntries(Object.entries(MAIL).reverse()),
  };
  const again = await post(instance, '/v1/messages', reordered, key);
  t.match(again, { status: 200, replayed: 'true', body: first.body });
  t.match(await post(instance, '/v1/messages', { ...reordered, to: ['dave@remote.test', 'carol@remote.test'] }, key), {
    status: 409,
    body: { error: 'idempotency_key_reused', first_reply: first.body },
  });
});

t.test('the list is filtered, and a thread is read page by page', async (t) => {
  const clock = { at: Date.now() - 86_400_000, now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const times: number[] = [];
  for (const [n, from] of ['carol@remote.test', 'dave@remote.test', 'CAROL@Remote.test'].entries()) {
    clock.at += 60_000;
    times.push(clock.at);
    await sendMail(instance.smtpPort, { to: [ann.address], headers: { From: from, Subject: `Mail ${n}` } });
  }
  clock.at += 60_000;
  await api.messages.send({ ...MAIL, subject: 'Sent' });
  const subjects = async (filter: Parameters<typeof api.messages.list>[0]) =>
    (await api.messages.list(filter)).messages.map(({ subject }) => subject);
  const at = (n: number) => new Date(times[n] ?? 0).toISOString();
  t.same(await subjects({ direction: 'out' }), ['Sent']);
  t.same(await subjects({ direction: 'in' }), ['Mail 2', 'Mail 1', 'Mail 0']);
  t.same(await subjects({ from: 'Carol <carol@remote.test>' }), ['Mail 2', 'Mail 0']);
  t.same(await subjects({ since: at(1) }), ['Sent', 'Mail 2', 'Mail 1']);
  t.same(await subjects({ since: at(1), until: at(2) }), ['Mail 1'], 'from the first to before the second');
  const first = await api.messages.list({ direction: 'in', limit: 2, until: at(2) });
  t.same(
    first.messages.map(({ subject }) => subject),
    ['Mail 1', 'Mail 0'],
  );
  const page = await api.messages.list({ direction: 'in', limit: 2 });
  t.same(await subjects({ direction: 'in', limit: 2, cursor: page.next_cursor ?? '' }), ['Mail 0']);
  for (const [query, error] of [
    ['direction=sideways', 'invalid_request'],
    ['since=yesterday', 'invalid_request'],
  ] as const) {
    const response = await instance.request(ann, 'GET', `/v1/messages?${query}`);
    t.match({ status: response.status, ...((await response.json()) as object) }, { status: 400, error }, query);
  }

  const { id = '' } = (await api.messages.list({ from: 'dave@remote.test' })).messages[0] ?? {};
  for (let n = 0; n < 4; n += 1) {
    clock.at += 1_000;
    await api.messages.reply({ id, body: `Answer ${n}` });
  }
  const threadId = (await api.messages.get({ id })).thread_id ?? '';
  const all = await api.threads.get({ id: threadId });
  t.equal(all.messages.length, 5);
  t.equal(all.next_cursor, null, 'none asked for: all');
  const pages: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part: typeof all = await api.threads.get({ id: threadId, limit: 2, ...(cursor && { cursor }) });
    pages.unshift(part.messages.map((message) => message.id));
    cursor = part.next_cursor;
  }
  t.same(
    pages.map(({ length }) => length),
    [1, 2, 2],
    'the latest first, and each page oldest first',
  );
  t.same(
    pages.flat(),
    all.messages.map((message) => message.id),
  );
  t.same(instance.faults, []);
});

t.test('HTML alone makes a mail; what its rewriting took away is named, and nothing else', async (t) => {
  await using instance = await startInstance();
  const { to, subject } = MAIL;
  const html = '<p onclick="x()">Our <b>offer</b>.</p><a href="http://x.test/">More</a>';
  const { status, body } = await post(instance, '/v1/messages', { to, subject, html });
  t.equal(status, 200);
  t.same(body.html_changed, ['attribute onclick', 'link']);
  const [sent] = await instance.receiver.waitFor(1);
  t.match(text(sent?.raw), /Content-Type: text\/plain[\s\S]*Our offer\.[\s\S]*<p>Our <b>offer<\/b>\.<\/p>More/);
  t.same(Object.keys((await post(instance, '/v1/messages', MAIL)).body).sort(), ['messageId', 'status']);
  t.match(await post(instance, '/v1/messages', { to, subject }), { status: 400, body: { error: 'body_required' } });
});
