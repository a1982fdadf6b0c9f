import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { openStream, type ReadEvent } from '../../harness/http/event-stream.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const mail = (instance: TestInstance, subject: string, to = instance.agents.ann.address) =>
  sendMail(instance.smtpPort, { to: [to], headers: { Subject: subject } });

const subjectOf = ({ data }: ReadEvent): unknown => data.data.subject;

t.test('a stream has events as they happen, of its own mailbox alone', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  await using stream = await openStream(instance, ann);
  t.match(Object.fromEntries(stream.response.headers), {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-ratelimit-limit': '300',
  });
  await mail(instance, 'To Bob', bob.address);
  await mail(instance, 'One');
  await mail(instance, 'Two\r\n data: x');
  const events = await stream.take(2);
  t.same(events.map(subjectOf), ['One', 'Two data: x']);
  for (const { id, event, data } of events) {
    t.equal(data.id, id);
    t.equal(event, 'message.received');
    t.equal(data.event, event);
  }
  await instance.client(ann).messages.send({ to: ['dave@remote.test'], subject: 'Out', body: 'x' });
  t.same(
    (await stream.take(2)).map(({ event }) => event),
    ['message.sent', 'message.delivered'],
  );
});

t.test('Last-Event-ID goes on where a stream ended, without a gap or a repeat', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const first = await openStream(instance, ann);
  await mail(instance, '0');
  const [seen] = await first.take(1);
  await first[Symbol.asyncDispose]();
  const mails = (from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => mail(instance, String(from + n))));
  // More than are read from the store at once.
  await mails(1, 60);
  await mails(61, 60);
  await using second = await openStream(instance, ann, seen?.id);
  const [events] = await Promise.all([second.take(160), mails(121, 40)]);
  const stored = (await instance.events()).filter(({ name }) => name === 'message.received');
  t.same(
    events.map(subjectOf),
    stored.slice(1).map(({ data }) => data.subject),
  );
  t.equal(new Set(events.map(({ id }) => id)).size, 160);
  const headers = { authorization: `Bearer ${ann.key}`, 'last-event-id': 'evt_unknown' };
  const refused = await fetch(new URL('/v1/events', instance.baseUrl), { headers });
  t.equal(refused.status, 400);
  t.match(await refused.json(), { error: 'invalid_request' });
});

t.test('a stream says where it begins, so that one that breaks before its first event misses none', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await using earlier = await openStream(instance, ann);
  await mail(instance, 'Earlier');
  const [last] = await earlier.take(1);
  const headers = { authorization: `Bearer ${ann.key}` };
  const { body } = await fetch(new URL('/v1/events', instance.baseUrl), { headers });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  t.equal((await reader?.read())?.value, `id: ${last?.id}\nretry: 2000\n\n`);
  await reader?.cancel();
  await mail(instance, 'Meanwhile');
  await using again = await openStream(instance, ann, last?.id);
  t.same((await again.take(1)).map(subjectOf), ['Meanwhile']);
});

t.test('decisions at the command line are streamed as well', async (t) => {
  await using instance = await startInstance();
  await using stream = await openStream(instance, instance.agents.ann);
  await cliJson(instance.configPath, 'workspaces', 'pause', 'Acme', '--reason', 'testing');
  const [event] = await stream.take(1);
  t.match(event, { event: 'workspace.paused', data: { data: { reason: 'testing' } } });
});

t.test('scopes and bounds of streams and waits', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const get = (key: string | null) =>
    fetch(new URL('/v1/events', instance.baseUrl), { headers: key === null ? {} : { authorization: `Bearer ${key}` } });
  t.equal((await get(null)).status, 401);
  t.match(await (await instance.request(ann, 'POST', '/v1/events')).json(), { error: 'method_not_allowed' });
  const streams = await Promise.all(Array.from({ length: 19 }, () => openStream(instance, ann)));
  const waiting = instance.client(ann).messages.waitForEmail({ timeout: 50 });
  await eventually(async () => {
    const refused = await get(ann.key);
    if (refused.status === 200) return refused.body?.cancel().then(() => false);
    t.equal(refused.status, 429);
    t.match(await refused.json(), { error: 'rate_limited' });
    return true;
  });
  t.equal((await instance.request(ann, 'GET', '/v1/messages/wait?timeout=1')).status, 429);
  await using other = await openStream(instance, bob);
  t.ok(other, 'another key has slots of its own');
  await streams[0]?.[Symbol.asyncDispose]();
  await eventually(async () => {
    const again = await get(ann.key);
    await again.body?.cancel();
    return again.status === 200;
  });
  await mail(instance, 'End');
  t.match(await waiting, { message: { subject: 'End' } });
  for (const stream of streams.slice(1)) await stream[Symbol.asyncDispose]();
});

t.test('streams and waits end cleanly with the daemon', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const stream = await openStream(instance, ann);
  const waiting = instance.request(ann, 'GET', '/v1/messages/wait?timeout=50');
  await instance.request(ann, 'GET', '/v1/identity');
  const began = Date.now();
  await instance.daemon.stop();
  t.ok(Date.now() - began < 25_000, 'half of what the wait had left: it does not delay the stop');
  t.match(await (await waiting).json(), { message: null, timed_out: true });
  t.same(await stream.rest(), [], 'the stream has an end, not a broken connection');
  await instance.restart();
  t.same(instance.faults, []);
});

t.test('wait: stored, to come, filtered, timed out', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { messages } = instance.client(ann);
  const since = new Date(Date.now() - 1000).toISOString();
  await mail(instance, 'First');
  const stored = await messages.waitForEmail({ since });
  t.match(stored, { message: { subject: 'First', direction: 'in', unread: true }, timed_out: false });
  t.equal(stored.next_since, stored.message?.created_at);
  const next = messages.waitForEmail({ since: stored.next_since, subject: 'code' });
  await mail(instance, 'Something else');
  await mail(instance, 'Your CODE');
  t.match(await next, { message: { subject: 'Your CODE' } });

  const began = Date.now();
  const nothing = await messages.waitForEmail({ timeout: 1, subject: 'none has it' });
  t.match(nothing, { message: null, timed_out: true });
  t.ok(Date.now() - began >= 990);
  t.match(await messages.waitForEmail({ timeout: 0, since, from: 'carol@' }), { message: { subject: 'First' } });

  const question = await messages.send({ to: ['carol@remote.test'], subject: 'Question', body: 'x' });
  const sent = await messages.get({ id: question.messageId ?? '' });
  const reply = messages.waitForEmail({ thread_id: sent.thread_id ?? '' });
  await mail(instance, 'Unrelated');
  await sendMail(instance.smtpPort, {
    to: [ann.address],
    headers: { Subject: 'Re: Question', 'In-Reply-To': sent.rfc_message_id ?? '' },
  });
  t.match(await reply, { message: { subject: 'Re: Question', thread_id: sent.thread_id } });
  for (const query of ['timeout=-1', 'timeout=x', 'since=yesterday', 'thread_id=x', 'other=1']) {
    t.equal((await instance.request(ann, 'GET', `/v1/messages/wait?${query}`)).status, 400, query);
  }
});

t.test('a wait is released when its caller disconnects', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  for (let round = 0; round < 3; round++) {
    const gone = new AbortController();
    const init = { headers: { authorization: `Bearer ${ann.key}` }, signal: gone.signal };
    // One may come while the look below has the last place, and is refused: it comes again.
    const wait = async (): Promise<void> => {
      const response = await fetch(new URL('/v1/messages/wait?timeout=50', instance.baseUrl), init).catch(() => null);
      if (response?.status === 429) await setTimeout(100).then(wait);
    };
    const calls = Array.from({ length: 20 }, wait);
    await eventually(async () => (await instance.request(ann, 'GET', '/v1/messages/wait?timeout=0')).status === 429);
    gone.abort();
    await Promise.all(calls);
    const isFree = async () => (await instance.request(ann, 'GET', '/v1/messages/wait?timeout=0')).status === 200;
    t.ok(await eventually(isFree));
  }
});
