import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('reply-all goes to the author and copies the others, never oneself', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  await sendMail(instance.smtpPort, {
    to: [instance.agents.ann.address],
    headers: {
      To: `Ann <${instance.agents.ann.address}>, Dave <dave@remote.test>`,
      Cc: 'eve@remote.test, CAROL@remote.test',
      Subject: 'Re: re: Minutes',
    },
  });
  const id = (await ann.messages.list({})).messages[0]?.id ?? '';
  const sent = await ann.messages.replyAll({ id, body: 'Thanks.' });
  const message = await ann.messages.get({ id: sent.messageId ?? '' });
  t.same(message.to, ['Carol <carol@remote.test>']);
  t.same(message.cc, ['Dave <dave@remote.test>', 'eve@remote.test']);
  t.equal(message.subject, 'Re: Minutes');
  await instance.receiver.waitFor(3);
  t.same(instance.receiver.messages.flatMap(({ rcptTo }) => rcptTo).sort(), [
    'carol@remote.test',
    'dave@remote.test',
    'eve@remote.test',
  ]);

  const alone = await ann.messages.send({ to: [instance.agents.ann.address], subject: 'Note to self', body: 'x' });
  t.equal(alone.status, 'sent');
  const own = await eventually(async () =>
    (await ann.messages.list({})).messages.find(
      ({ direction, subject }) => direction === 'in' && subject === 'Note to self',
    ),
  );
  t.match(await ann.messages.replyAll({ id: own.id, body: 'x' }).catch((error: unknown) => error), {
    status: 422,
    code: 'no_recipients',
  });
});

t.test('forwarding: the original quoted, or whole', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const raw = plainMail({
    headers: {
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/mixed; boundary=b',
      Subject: '=?utf-8?B?4KSu4KS+4KS44KS/4KSV?= Contract',
    },
    text: '--b\nContent-Type: text/plain\n\nSee the attached contract.\n--b\nContent-Type: text/plain; name=c.txt\nContent-Disposition: attachment; filename=c.txt\n\nclause one\n--b--',
  });
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], raw });
  const original = (await ann.messages.list({})).messages[0];
  const id = original?.id ?? '';

  const inline = await ann.messages.forward({ id, to: ['legal@remote.test'], body: 'For you.' });
  const quoted = await ann.messages.get({ id: inline.messageId ?? '' });
  t.equal(quoted.subject, 'Fwd: मासिक Contract');
  t.match(
    quoted.text,
    /^For you\.[\s\S]*Forwarded message[\s\S]*Carol <carol@remote\.test>[\s\S]*See the attached contract\./,
  );
  t.match(quoted.attachments, [{ filename: 'c.txt' }]);
  t.equal(quoted.thread_id, original?.thread_id, 'a forward stands in the thread');

  const wrapped = await ann.messages.forward({ id, to: ['legal@remote.test'], mode: 'wrapped' });
  const whole = await ann.messages.get({ id: wrapped.messageId ?? '' });
  t.match(whole.attachments, [{ filename: 'मासिक Contract.eml', contentType: 'message/rfc822' }]);
  const bytes = await ann.messages.attachment({ id: whole.id, filename: whole.attachments[0]?.filename ?? '' });
  const stored = await ann.messages.raw({ id });
  t.equal(
    Buffer.from(bytes.content).toString().trimEnd(),
    Buffer.from(stored.content).toString().trimEnd(),
    'unaltered',
  );
  t.match(
    await ann.messages.forward({ id: whole.id, to: ['x@remote.test'], mode: 'wrapped' }).catch((e: unknown) => e),
    {
      code: 'raw_message_unavailable',
    },
  );
  await instance.receiver.waitFor(2);
});

t.test('what the gate refuses is a result, in its order', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const send = async (body: object) => {
    const response = await instance.request(ann, 'POST', '/v1/messages', {
      to: ['a@remote.test'],
      subject: 's',
      body: 'b',
      ...body,
    });
    return [response.status, await response.json()];
  };
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@remote.test`);
  t.match(await send({ to: six }), [422, { status: 'rejected', reason: 'too_many_recipients_max_5' }]);
  t.match(await send({ to: six.slice(0, 3), cc: six.slice(3) }), [
    422,
    { status: 'rejected', reason: 'too_many_recipients_max_5' },
  ]);
  const big = { filename: 'big.bin', content_base64: Buffer.alloc(5_300_000, 1).toString('base64') };
  t.match(await send({ attachments: [big, { ...big, filename: 'b2.bin' }] }), [
    422,
    { status: 'rejected', reason: 'attachments_too_large_max_10485760_bytes' },
  ]);
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  t.match(await send({ attachments: [big, { ...big, filename: 'b2.bin' }], send_at }), [
    422,
    { status: 'rejected', reason: 'attachments_too_large_max_10485760_bytes' },
  ]);
  t.match(await send({ reply_to_message_id: '01890000-0000-7000-8000-000000000000' }), [
    422,
    { status: 'rejected', reason: 'reply_target_not_found' },
  ]);
  const locked = await instance.addAgent('locked', await instance.addWorkspace('Unverified', false));
  const response = await instance.request(locked, 'POST', '/v1/messages', {
    to: ['a@remote.test'],
    subject: 's',
    body: 'b',
  });
  t.match(
    [response.status, await response.json()],
    [422, { status: 'rejected', reason: 'sending_locked_verify_email' }],
  );
  t.same((await instance.client(ann).messages.list({})).messages, [], 'nothing of it is kept');
  t.equal(instance.receiver.messages.length, 0);
});

t.test('a loop of automatic replies is stopped', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  await sendMail(instance.smtpPort, {
    to: [instance.agents.ann.address],
    headers: { 'Auto-Submitted': 'auto-replied' },
  });
  const id = (await ann.messages.list({})).messages[0]?.id ?? '';
  for (let n = 0; n < 5; n += 1) t.match(await ann.messages.replyAll({ id, body: `Answer ${n}` }), { status: 'sent' });
  const response = await instance.request(instance.agents.ann, 'POST', `/v1/messages/${id}/reply-all`, {
    body: 'once more',
  });
  t.equal(response.status, 422);
  t.match(await response.json(), { status: 'rejected', reason: 'reply_loop_detected', retryAfter: String });
});

t.test('opens are counted where they are tracked, and a message on its way is not deleted', async (t) => {
  await using instance = await startInstance({ receiver: { onRcpt: () => ({ code: 451, text: '4.3.2 Later' }) } });
  const ann = instance.client(instance.agents.ann);
  const sent = await ann.messages.send({ to: ['a@remote.test'], subject: 's', body: 'b', track_opens: true });
  const id = sent.messageId ?? '';
  const raw = Buffer.from((await ann.messages.raw({ id })).content).toString();
  const token = /\/o\/([\w-]{22})\.gif/.exec(raw.replace(/=\r?\n/g, ''))?.[1] ?? '';
  const pixel = await fetch(`${instance.baseUrl}/o/${token}.gif`);
  t.equal(pixel.headers.get('content-type'), 'image/gif');
  t.match((await ann.messages.get({ id })).opens, { count: 1, first_at: String });
  await fetch(`${instance.baseUrl}/o/${token}.gif`);
  const opened = (await instance.events()).filter(({ name }) => name === 'message.opened');
  t.match(opened, [{ name: 'message.opened', data: { message_id: id, subject: 's' } }], 'the first is an event');
  t.equal(opened.length, 1);
  t.match(await ann.messages.remove({ id }).catch((error: unknown) => error), {
    status: 409,
    code: 'message_in_transit',
  });
  const plain = await ann.messages.send({ to: ['a@remote.test'], subject: 's', body: 'b' });
  t.notOk(
    Buffer.from((await ann.messages.raw({ id: plain.messageId ?? '' })).content)
      .toString()
      .includes('/o/'),
  );
  // What an outsider knows of a mail, its Message-ID among it, counts nothing.
  for (const known of [
    id,
    plain.messageId ?? '',
    token.slice(1),
    `${token}x`,
    'A'.repeat(22),
    '%00',
    'x'.repeat(500),
  ]) {
    t.equal((await fetch(`${instance.baseUrl}/o/${known}.gif`)).status, 200, 'the same image for anything');
  }
  t.match((await ann.messages.get({ id })).opens, { count: 2 });
  t.match((await ann.messages.get({ id: plain.messageId ?? '' })).opens, { count: 0 });
});

t.test('a tool tells by itself which of several recipients did not get a mail', async (t) => {
  const refusal = { code: 550, text: '5.1.1 No such user' };
  const onRcpt = (address: string) => (address === 'dave@remote.test' ? refusal : undefined);
  await using instance = await startInstance({ receiver: { onRcpt } });
  await using mcp = await connectMcp(instance, instance.agents.ann);
  const mail = { to: ['carol@remote.test', 'dave@remote.test'], subject: 'Minutes', body: 'Ours.' };
  const message_id = (await mcp.call('send_message', mail)).structured.messageId;
  const { structured } = await eventually(async () => {
    const read = await mcp.call('get_message', { message_id });
    return instance.receiver.messages.length > 0 && read.structured.status === 'bounced' && read;
  });
  t.same(structured.deliveries, [{ address: 'dave@remote.test', status: 'bounced', code: 550, next_attempt_at: null }]);
  const well = (await mcp.call('send_message', { ...mail, to: ['carol@remote.test'] })).structured.messageId;
  const delivered = await eventually(async () => {
    const read = await mcp.call('get_message', { message_id: well });
    return read.structured.status === 'delivered' && read;
  });
  t.equal(delivered.structured.deliveries, undefined);
  t.same(instance.faults, []);
});
