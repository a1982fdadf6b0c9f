import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const mail = (instance: TestInstance, subject: string, text: string) =>
  sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: subject }, text });

const get = async (instance: TestInstance, path: string) => {
  const response = await instance.request(instance.agents.ann, 'GET', path);
  return { status: response.status, body: (await response.json()) as Record<string, never>, headers: response.headers };
};

t.test('mail that came before the call ends a wait, with its content, once', async (t) => {
  await using instance = await startInstance();
  await mail(instance, 'First code', 'Your code is 482913.');
  await mail(instance, 'Second', 'Nothing to see.');
  const first = await get(instance, '/v1/messages/wait?timeout=5&include=text,codes');
  t.match(first.body, {
    message: { subject: 'First code', unread: false, codes: ['482913'], links: null, text: /482913/ },
    timed_out: false,
    hint: null,
  });
  const second = await get(instance, '/v1/messages/wait?timeout=5');
  t.match(
    second.body,
    { message: { subject: 'Second', unread: true, text: null } },
    'what was read does not come again',
  );
  const { next_since } = first.body as unknown as { next_since: string };
  const after = await get(instance, `/v1/messages/wait?timeout=0&since=${next_since}`);
  t.match(after.body, { message: { subject: 'Second' } }, 'next_since passes over nothing');
  t.equal((await get(instance, '/v1/messages/wait?include=html')).status, 400);

  const long = await get(instance, '/v1/messages/wait?timeout=300&subject=Second');
  t.match(long.body, { hint: /300 s was taken as one of 50 s/, waited_seconds: 0 });
});

t.test('lists and waits know a sender by the same rule', async (t) => {
  await using instance = await startInstance();
  await mail(instance, 'Here', 'x');
  const { body } = await get(instance, '/v1/messages');
  const { from } = (body as unknown as { messages: { from: string }[] }).messages[0] ?? { from: '' };
  const address = /[^<\s]+@[^>\s]+/.exec(from)?.[0] ?? '';
  const [local = '', domain = ''] = address.split('@');
  for (const wanted of [address, address.toUpperCase(), `${local}@`, `@${domain}`, `*@${domain}`, local.slice(0, 3)]) {
    const query = `from=${encodeURIComponent(wanted)}`;
    t.match((await get(instance, `/v1/messages?${query}`)).body, { messages: [{ subject: 'Here' }] }, wanted);
    t.match(
      (await get(instance, `/v1/messages/wait?timeout=0&${query}`)).body,
      { message: { subject: 'Here' } },
      wanted,
    );
  }
  t.match((await get(instance, '/v1/messages?from=zzz')).body, { messages: [] });
});

t.test('changes: each once, in order, from a cursor on, and a wait for the next', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await mail(instance, 'Before', 'x');
  const begun = await get(instance, '/v1/changes');
  t.match(begun.body, { changes: [], more: false, next_cursor: String, hint: /list_messages.* with `since`/ });
  const cursorOf = ({ body }: { body: unknown }) => (body as { next_cursor: string }).next_cursor;
  await mail(instance, 'One', 'x');
  await mail(instance, 'Two', 'x');
  const page = await get(instance, `/v1/changes?limit=1&cursor=${cursorOf(begun)}`);
  t.match(page.body, { changes: [{ event: 'message.received', subject: 'One', message_id: String }], more: true });
  const rest = await get(instance, `/v1/changes?cursor=${cursorOf(page)}`);
  t.match(rest.body, { changes: [{ subject: 'Two', thread_id: String, at: String }], more: false, hint: null });
  t.equal((rest.body as unknown as { changes: unknown[] }).changes.length, 1);

  const waiting = get(instance, `/v1/changes?wait=20&cursor=${cursorOf(rest)}`);
  await mail(instance, 'Three', 'x');
  t.match((await waiting).body, { changes: [{ subject: 'Three' }] });
  t.equal((await get(instance, '/v1/changes?cursor=x')).status, 400);

  await instance.client(ann).messages.send({ to: ['dave@remote.test'], subject: 'Out', body: 'x' });
  await using mcp = await connectMcp(instance, ann);
  const { structured, texts } = await mcp.call('get_changes', { cursor: cursorOf(rest), wait: 5 });
  const { changes } = structured as unknown as { changes: { event: string; subject: string | null }[] };
  t.same(
    changes.slice(0, 2).map(({ event, subject }) => [event, subject]),
    [
      ['message.received', null],
      ['message.sent', null],
    ],
  );
  t.match(texts.join('\n'), /"subject":"Three"/);
  t.match(texts[1], /Ids are the ends of those above/);
  t.notMatch(texts[1], /evt_/, 'an id of an event is told whole once');
  t.same(instance.faults, []);
});
