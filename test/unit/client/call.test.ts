import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { pause } from '../../../src/client/call.ts';
import { createClient, PostroomError } from '../../../src/client/index.ts';

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A server that gives the answers in their order, and keeps what it was asked. */
const answering = async (answers: Answer[]) => {
  const asked: { method: string; url: string; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, key: headers['idempotency-key'] as string | undefined });
    const { status, headers: given = {}, body = '{}' } = answers[asked.length - 1] ?? { status: 500 };
    request.resume().on('end', () => response.writeHead(status, given).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pauses: number[] = [];
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'svc_x',
    pause: async (ms) => void pauses.push(ms),
  });
  return { client, asked, pauses, [Symbol.asyncDispose]: async () => void server.close() };
};

const limited: Answer = {
  status: 429,
  headers: { 'retry-after': '7' },
  body: '{"error":"rate_limited","hint":"Too many"}',
};
const busy: Answer = { status: 503, body: '{"error":"overloaded","hint":"Busy"}' };

t.test('reads are made again, after the time that the reply names', async (t) => {
  await using server = await answering([limited, busy, { status: 200, body: '{"messages":[],"next_cursor":null}' }]);
  t.same(await server.client.messages.list(), { messages: [], next_cursor: null });
  t.equal(server.asked.length, 3);
  t.equal(server.pauses[0], 7000);
  t.ok((server.pauses[1] ?? 0) >= 750 && (server.pauses[1] ?? 0) <= 1250, 'else a pause that doubles');
});

t.test('a null in a query is left out', async (t) => {
  await using server = await answering(Array(2).fill({ status: 200 }));
  const page = { limit: 2, cursor: null } as unknown as { limit: number };
  await server.client.messages.list(page);
  await server.client.webhooks.update({ id: 'x', mailbox_id: null });
  t.same(
    server.asked.map(({ url }) => url),
    ['/v1/messages?limit=2', '/v1/webhooks?id=x'],
  );
});

t.test('a send is made again under the same key; each call has its own', async (t) => {
  const sent: Answer = { status: 200, body: '{"status":"sent"}' };
  await using server = await answering([busy, sent, sent]);
  const mail = { to: ['a@b.test'], subject: 's', body: 'b' };
  t.match(await server.client.messages.send(mail), { status: 'sent' });
  t.match(await server.client.messages.send(mail, { idempotencyKey: 'mine' }), { status: 'sent' });
  const [first, second, third] = server.asked.map(({ key }) => key);
  t.match(first, /^[\w-]{36}$/);
  t.equal(second, first);
  t.equal(third, 'mine');
});

t.test('a send whose first try is still under way behind a restarted gateway comes to its reply', async (t) => {
  const inFlight: Answer = {
    status: 409,
    headers: { 'retry-after': '1' },
    body: '{"error":"idempotency_in_flight","hint":"Soon"}',
  };
  const gateway: Answer = { status: 502, body: '<html>Bad gateway</html>' };
  await using server = await answering([gateway, inFlight, { status: 200, body: '{"status":"sent"}' }]);
  const mail = { to: ['a@b.test'], subject: 's', body: 'b' };
  t.match(await server.client.messages.send(mail), { status: 'sent' });
  t.equal(new Set(server.asked.map(({ key }) => key)).size, 1);
  t.equal(server.pauses[1], 1000);
});

t.test('an abort ends the pause before the next try, of a call and of a stream', async (t) => {
  const run = async (work: (client: ReturnType<typeof createClient>, signal: AbortSignal) => Promise<unknown>) => {
    const ending = new AbortController();
    const answer = async () => {
      setImmediate(() => ending.abort());
      return new Response(limited.body, { status: 429, headers: { 'retry-after': '60' } });
    };
    const began = performance.now();
    const aMinute = (_ms: number, signal?: AbortSignal) => pause(60_000, signal);
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'svc_x', fetch: answer, pause: aMinute });
    await work(client, ending.signal);
    t.ok(performance.now() - began < 30_000);
  };
  await run((client, signal) => t.rejects(client.messages.list({}, { signal }), { code: 'rate_limited' }));
  await run(async (client, signal) => {
    for await (const _ of client.events({ signal })) t.fail('nothing is heard');
  });
});

t.test('what is not safe to repeat is not repeated', async (t) => {
  await using server = await answering([busy]);
  const created = server.client.webhooks.create({ url: 'https://x.test', events: ['message.received'] });
  await t.rejects(created, { status: 503, code: 'overloaded' });
  t.equal(server.asked.length, 1);
});

t.test('nor is a wait that is too long, nor a refusal', async (t) => {
  const later = { ...limited, headers: { 'retry-after': '3600' } };
  const narrow = {
    status: 403,
    headers: { 'x-request-id': 'req-1' },
    body: '{"error":"insufficient_scope","hint":"No","scope":"mail:read"}',
  };
  await using server = await answering([later, narrow]);
  const limit = await server.client.messages.list().catch((error: unknown) => error);
  t.match(limit, { status: 429, retryAfter: 3600 });
  const refusal = await server.client.messages.list().catch((error: unknown) => error);
  t.type(refusal, PostroomError);
  t.match(refusal, { status: 403, code: 'insufficient_scope', fields: { scope: 'mail:read' }, requestId: 'req-1' });
  t.same(server.pauses, []);
});

t.test('what is no answer of Postroom says so', async (t) => {
  await using server = await answering(Array(3).fill({ status: 502, body: '<html>Bad gateway</html>' }));
  await t.rejects(server.client.messages.list(), { status: 502, code: 'invalid_response', hint: /Bad gateway/ });
  await using gateway = await answering(Array(3).fill({ status: 502, body: '{"message":"Bad Gateway"}' }));
  const mail = { to: ['a@b.test'], subject: 's', body: 'b' };
  await t.rejects(gateway.client.messages.send(mail), { status: 502, code: 'invalid_response', hint: /Bad Gateway/ });
});

t.test('a result that says no is no error', async (t) => {
  await using server = await answering([{ status: 422, body: '{"status":"rejected","reason":"workspace_paused"}' }]);
  t.match(await server.client.messages.send({ to: ['a@b.test'], subject: 's', body: 'b' }), { status: 'rejected' });
});

t.test('a stream goes on after its last event, and ends where the key may not listen', async (t) => {
  const event = (id: string) => `id: ${id}\nevent: message.sent\ndata: {"id":"${id}","event":"message.sent"}\n\n`;
  const urls: (string | null)[] = [];
  const bodies = ['id: evt_0\nretry: 2000\n\n', `retry: 2000\n\n:\n\n${event('evt_1')}`, event('evt_2'), null];
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'svc_x',
    pause: async () => undefined,
    fetch: async (_url, init) => {
      urls.push(new Headers(init?.headers).get('last-event-id'));
      const body = bodies[urls.length - 1];
      if (body) return new Response(body, { status: 200 });
      return new Response('{"error":"invalid_key","hint":"Revoked"}', { status: 401 });
    },
  });
  const heard: string[] = [];
  const listening = (async () => {
    for await (const { id } of client.events()) heard.push(id);
  })();
  await t.rejects(listening, { code: 'invalid_key' });
  t.same(heard, ['evt_1', 'evt_2']);
  t.same(urls, [null, 'evt_0', 'evt_1', 'evt_2']);
});
