import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

t.test('a mail without words or with a subject of two lines is refused by its form', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const mail = { to: ['carol@remote.test'], subject: 'Hi', body: 'x' };
  const post = async (body: object, path = '/v1/messages') => {
    const response = await instance.request(ann, 'POST', path, body);
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  t.same(await post({ ...mail, body: ' \n' }), [400, 'body_required']);
  t.same(await post({ ...mail, body: 'x'.repeat(1_000_001) }), [400, 'invalid_request'], 'too long is not missing');
  t.same(await post({ ...mail, subject: ' ' }), [400, 'invalid_request']);
  t.same(await post({ ...mail, subject: 'Hi\r\nBcc: dave@remote.test' }), [400, 'invalid_request']);
  await sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: 'Q' } });
  const [received] = (await instance.client(ann).messages.list({})).messages;
  for (const body of ['', null]) {
    t.same(await post({ body }, `/v1/messages/${received?.id}/reply`), [400, 'body_required']);
  }
  t.same(await post({ ...mail }), [200, undefined]);
});

t.test('a mail says that its answers go elsewhere, and the answer says where it went', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { messages } = instance.client(ann);
  await sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: 'Plain' } });
  await sendMail(instance.smtpPort, {
    to: [ann.address],
    headers: { Subject: 'Elsewhere', 'Reply-To': 'Carol <carol@elsewhere.test>' },
  });
  const [elsewhere, plain] = (await messages.list({})).messages;
  t.match(plain, { subject: 'Plain', reply_to: [], reply_to_differs: false });
  t.match(elsewhere, { reply_to: ['Carol <carol@elsewhere.test>'], reply_to_differs: true });
  const id = elsewhere?.id ?? '';
  t.match(await messages.reply({ id, body: 'x', dry_run: true }), { recipients: ['carol@elsewhere.test'] });
  const reply = () =>
    fetch(new URL(`/v1/messages/${id}/reply`, instance.baseUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ann.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: '{"body":"x"}',
    }).then((response) => response.json());
  const first = await reply();
  t.match(first, { status: 'sent', reply_to_differs: ['Carol <carol@elsewhere.test>'] });
  t.same(await reply(), first, 'a repeat says the same');
});

t.test('long links are numbers in the text; all links are told with the words that show them', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const far = (name: string) => `https://click.test/${name}/${'x'.repeat(120)}`;
  await sendMail(instance.smtpPort, {
    to: [ann.address],
    headers: { Subject: 'News', 'Content-Type': 'text/html' },
    text: `<p><a href="${far('a')}">Read more</a> <a href="${far('b')}">Verify your address</a> <a href="https://a.test/">Home</a></p>`,
  });
  await using mcp = await connectMcp(instance, ann);
  const { messages, threads } = instance.client(ann);
  const [item] = (await messages.list({})).messages;
  const message_id = item?.id ?? '';
  const links = [
    { number: 1, text: 'Read more', url: far('a'), action: false },
    { number: 2, text: 'Verify your address', url: far('b'), action: true },
    { number: null, text: 'Home', url: 'https://a.test/', action: false },
  ];
  const text = 'Read more [1] Verify your address [2] Home [https://a.test/]';
  t.match(await messages.get({ id: message_id }), { text, reply_text: text, links });
  t.match((await threads.get({ id: item?.thread_id ?? '', include: 'text' })).messages, [{ text, links }]);
  const brief = await mcp.call('get_message', { message_id });
  t.match(brief.told, {
    text,
    links: [
      { number: 2, url: far('b'), action: true },
      { number: 1, url: far('a') },
    ],
  });
  t.notMatch(brief.texts[1], /"url":"https:\/\/a\.test/, 'what the text has whole is not told again');
  t.notMatch(brief.texts[0], /click/);
  t.match((await mcp.call('get_message', { message_id, detail: true })).told, { links: [{}, {}, { text: 'Home' }] });
  const since = '2000-01-01T00:00:00Z';
  t.match((await mcp.call('wait_for_email', { since, include: ['links'] })).told, {
    message: {
      links: [{ text: 'Verify your address' }, { text: 'Read more' }, { text: 'Home', url: 'https://a.test/' }],
    },
  });
  t.match((await mcp.call('get_thread', { thread_id: item?.thread_id })).told, { messages: [{ links: [{}, {}] }] });
  t.same(instance.faults, []);
});

t.test('a thread is read with what was forwarded to it; quotes of what it has are left out', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await using mcp = await connectMcp(instance, ann);
  const quoted = '---------- Forwarded message ---------\nFrom: Bob <b@x.test>\nDate: Tue\nSubject: x\n\nFlight 123';
  const send = (subject: string, text: string, of: Record<string, string>) =>
    sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: subject, ...of }, text });
  const answer = { 'In-Reply-To': '<f@remote.test>' };
  await send('Fwd: x', `Please book this.\n\n${quoted}`, { 'Message-ID': '<f@remote.test>' });
  await send('Re: x', 'Soon?\n\nOn Mon, Nov 16, 2026 at 10:00 AM Ann <a@x.test> wrote:\n> Booked?', answer);
  await send('WG: y', `And this.\n\n${quoted}`, answer);
  const [thread] = (await instance.client(ann).threads.list({})).threads;
  const read = await mcp.call('get_thread', { thread_id: thread?.id });
  t.match(read.told, { messages: [{ text: /Flight 123/ }, { text: 'Soon?' }, { text: /Flight 123/ }] });
  const latest = await mcp.call('get_thread', { thread_id: thread?.id, limit: 2 });
  t.match(latest.told, { messages: [{ text: 'Soon?' }, { text: /Flight 123/ }] });
  await send('Re: x', '> Monday?\nNo.\n\n> Tuesday?\n> Wednesday?\nYes.', answer);
  const answered = await mcp.call('get_thread', { thread_id: thread?.id, limit: 1 });
  t.match(answered.told, { messages: [{ text: /^> Monday\?\nNo\.\n\n> Tuesday\?/ }] }, 'answers have their questions');
});
