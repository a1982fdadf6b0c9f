/** What every reply of the interface has, whatever it says: how its caller stands, and a name that the log has too. */

import t from 'tap';
import { connectHttp } from '../../harness/http/raw-http.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

t.test('rate headers and a request id, on refusals and on paths that are none as well', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const key = { authorization: `Bearer ${ann.key}` };
  const json = { ...key, 'content-type': 'application/json' };
  const cases: [status: number, method: string, path: string, headers: Record<string, string>, body?: string][] = [
    [200, 'GET', '/v1/messages', key],
    [404, 'GET', '/v1/messages/00000000-0000-7000-8000-000000000000', key],
    [400, 'GET', '/v1/messages?limit=0', key],
    [404, 'GET', '/v1/nothing', key],
    [404, 'GET', '/v1/nothing', {}],
    [405, 'PUT', '/v1/messages', key],
    [405, 'PUT', '/mcp', key],
    [401, 'GET', '/v1/messages', {}],
    [400, 'POST', '/v1/messages', json, '{'],
    [415, 'POST', '/v1/messages', { ...key, 'content-type': 'text/plain' }, 'x'],
    [413, 'POST', '/v1/identity/rules', json, `{"x":"${'y'.repeat(1_100_000)}"}`],
    [400, 'GET', '/v1/events?colour=red', key],
    [400, 'POST', '/mcp', json, '{}'],
    [403, 'POST', '/mcp', { ...json, origin: 'https://evil.test' }, '{}'],
    [404, 'GET', '/nothing', {}],
  ];
  const ids = new Set<string>();
  for (const [status, method, path, headers, body] of cases) {
    const about = `${method} ${path} ${status}`;
    const reply = await fetch(new URL(path, instance.baseUrl), {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    t.equal(reply.status, status, about);
    t.match(reply.headers.get('x-ratelimit-limit'), /^(300|30|600)$/, about);
    t.match(reply.headers.get('x-ratelimit-remaining'), /^\d+$/, about);
    t.match(reply.headers.get('x-ratelimit-reset'), /^\d+$/, about);
    const id = reply.headers.get('x-request-id') ?? '';
    t.match(id, /^[\w-]{36}$/, about);
    ids.add(id);
    await reply.text();
  }
  t.equal(ids.size, cases.length, 'each request has a name of its own');
});

t.test('a connection is kept for longer than any web server in front keeps its own', async (t) => {
  await using instance = await startInstance();
  using http = await connectHttp(instance);
  http.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  const told = await eventually(async () => /keep-alive: timeout=(\d+)/i.exec(http.received));
  const seconds = Number(told[1]);
  t.ok(seconds > 120, `Caddy's 120 s, Traefik's 90 s, a load balancer's 60 s, and not ${seconds}`);
});

t.test('a request id on the answer to what is no HTTP', async (t) => {
  await using instance = await startInstance();
  const ids = new Set<string | undefined>();
  for (const [status, bytes] of [
    [400, 'nonsense\r\n\r\n'],
    [400, 'POST /v1/notes HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n'],
    [431, `GET /v1/messages HTTP/1.1\r\nhost: x\r\nx-long: ${'y'.repeat(40_000)}\r\n\r\n`],
  ] as const) {
    using http = await connectHttp(instance);
    http.write(bytes);
    const reply = await http.ended;
    t.match(reply, new RegExp(`^HTTP/1.1 ${status} `));
    ids.add(/^x-request-id: ([\w-]{36})\r$/m.exec(reply)?.[1]);
  }
  t.notOk(ids.has(undefined));
  t.equal(ids.size, 3, 'each has a name of its own');
});

t.test('paths that are none count, with a key and without', async (t) => {
  await using instance = await startInstance();
  const get = (headers: Record<string, string>) => fetch(new URL('/v1/nothing', instance.baseUrl), { headers });
  const statuses = async (count: number, headers: Record<string, string>) => {
    const found: number[] = [];
    for (let n = 0; n < count; n += 1) found.push((await get(headers)).status);
    return found;
  };
  const anonymous = await statuses(32, {});
  t.same([anonymous[29], anonymous[30]], [404, 429]);
  const keyed = await statuses(302, { authorization: `Bearer ${instance.agents.ann.key}` });
  t.same([keyed[299], keyed[300]], [404, 429]);
});

t.test('a fault of ours is in the log under the id that its reply has', async (t) => {
  await using instance = await startInstance();
  await instance.inStore((store) =>
    store.write(async (tx) => {
      await tx.db.schema.alterTable('rules').renameTo('rules_gone').execute();
    }),
  );
  const reply = await instance.request(instance.agents.ann, 'GET', '/v1/identity/rules');
  t.equal(reply.status, 500);
  t.match(instance.faults, [{ request_id: reply.headers.get('x-request-id') }]);
});
