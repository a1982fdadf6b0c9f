import t from 'tap';
import { signInOwner } from '../../harness/http/owner.ts';
import { connectHttp, postHeader } from '../../harness/http/raw-http.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const MIB = 1024 * 1024;

/** The path of a mail of 12 MB. */
const largeMail = async (instance: TestInstance, agent: TestAgent): Promise<string> => {
  await sendMail(instance.smtpPort, { to: [agent.address], text: 'x'.repeat(70).concat('\n').repeat(180_000) });
  const [listed] = (await instance.client(agent).messages.list({})).messages;
  return `/v1/messages/${listed?.id}/raw`;
};

const ask = ({ key }: TestAgent, path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;

const readWhole = async (instance: TestInstance, agent: TestAgent, path: string): Promise<number> => {
  const reply = await instance.request(agent, 'GET', path);
  await reply.text();
  return reply.status;
};

t.test('a client that is gone before its reply holds none of the bytes', async (t) => {
  await using instance = await startInstance({ toml: `[budget]\nbody_bytes_per_key = ${20 * MIB}\n` });
  const { ann } = instance.agents;
  const path = await largeMail(instance, ann);
  for (let n = 0; n < 3; n += 1) {
    const client = await connectHttp(instance);
    client.socket.write(ask(ann, path), () => client.socket.resetAndDestroy());
    await client.ended;
  }
  await eventually(async () => (await readWhole(instance, ann, path)) === 200);
  t.same(instance.faults, []);
});

t.test('a client that leaves amid a refused body in chunks does not end the daemon', async (t) => {
  await using instance = await startInstance();
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on('uncaughtException', note);
  t.teardown(() => process.off('uncaughtException', note));
  const { key } = instance.agents.ann;
  const header = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-type: text/odd\r\ntransfer-encoding: chunked`;
  for (let n = 0; n < 20; n += 1) {
    const client = await connectHttp(instance);
    const leave = () => (n % 2 ? client.socket.destroy() : client.socket.resetAndDestroy());
    client.socket.write(`POST /v1/messages HTTP/1.1\r\n${header}\r\n\r\na\r\n0123456789\r\n`, leave);
    await client.ended;
  }
  t.equal((await instance.request(null, 'GET', '/healthz')).status, 200);
  t.same([uncaught, instance.faults], [[], []]);
});

t.test('a reply that is not read gives way to the next one', async (t) => {
  await using instance = await startInstance({
    toml: `[budget]\nbody_bytes_per_key = ${20 * MIB}\ngive_way_seconds = 0.5\n`,
  });
  const { ann } = instance.agents;
  const path = await largeMail(instance, ann);
  const reader = await connectHttp(instance);
  reader.socket.pause();
  reader.write(ask(ann, path));
  await eventually(async () => reader.socket.bytesRead > 0);
  await eventually(async () => (await readWhole(instance, ann, path)) === 200);
  reader.socket.resume();
  t.ok((await reader.ended).length < 12 * MIB, 'the rest was not sent');
  t.same(instance.faults, []);
});

t.test('uploads that stopped, of however many workspaces, keep no other from its own', async (t) => {
  await using instance = await startInstance({
    toml: `[budget]\nbody_bytes = ${40 * MIB}\nbody_bytes_per_workspace = ${40 * MIB}\ngive_way_seconds = 0.5\n`,
  });
  const { ann } = instance.agents;
  const guest = await instance.addAgent('eve', await instance.addWorkspace('guest'));
  const upload = await connectHttp(instance);
  upload.write(`${postHeader(ann, '/v1/messages', { bytes: 30 * MIB })}{`);
  await eventually(async () => {
    const body = JSON.stringify({ to: [ann.address], subject: 'Large', body: 'x'.repeat(12 * MIB) });
    const sent = await fetch(new URL('/v1/messages', instance.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${guest.key}`, 'content-type': 'application/json' },
      body,
    });
    return sent.status !== 503 && upload.received !== '';
  });
  t.match(await upload.ended, /^HTTP\/1\.1 400 .*too slowly/s);
  t.same(instance.faults, []);
});

t.test('pipelined requests take turns, and few wait', async (t) => {
  await using instance = await startInstance({ toml: `[budget]\nbody_bytes_per_key = ${20 * MIB}\n` });
  const { ann, bob } = instance.agents;
  const path = await largeMail(instance, ann);
  const client = await connectHttp(instance);
  client.write(ask(ann, path).repeat(3));
  const statuses = () => client.received.match(/HTTP\/1\.1 \d+/g) ?? [];
  await eventually(async () => statuses().length === 3);
  t.same(statuses(), Array(3).fill('HTTP/1.1 200'), 'none holds bytes while another is sent');
  client[Symbol.dispose]();
  const many = await connectHttp(instance);
  many.write(ask(bob, '/v1/messages/wait?timeout=50') + ask(bob, '/healthz').repeat(200));
  t.equal(await many.ended, '');
  t.same(instance.faults, []);
});

t.test('with every place taken, an event stream of the console stays', async (t) => {
  await using instance = await startInstance({ toml: '[budget]\nhttp_connections = 2\ngive_way_seconds = 0\n' });
  const { cookie } = await signInOwner(instance);
  const stream = await connectHttp(instance);
  const query = `workspace=${instance.workspace.slug}`;
  stream.write(`GET /console/api/events?${query} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`);
  await eventually(async () => stream.received.startsWith('HTTP/1.1 200'));
  const other = await connectHttp(instance);
  other.write(ask(instance.agents.ann, '/v1/events'));
  await eventually(async () => other.received.startsWith('HTTP/1.1 200'));
  const late = await connectHttp(instance);
  t.match(await late.ended, /^HTTP\/1\.1 503 /);
  t.equal(stream.socket.destroyed, false);
  for (const each of [stream, other]) each[Symbol.dispose]();
  t.same(instance.faults, []);
});

t.test('a client that does not read a stream is ended, whatever the connection has taken in', async (t) => {
  await using instance = await startInstance({
    toml: '[budget]\nhttp_connections = 1\ngive_way_seconds = 0\nleast_bytes_per_second = 20000000\nspeed_seconds = 1\n',
  });
  const { ann } = instance.agents;
  const rows = Array.from({ length: 1_200 }, (_, n) => `c${n}@remote.test,${'x'.repeat(9_900)}\n`);
  const imported = await fetch(new URL('/v1/contacts/import', instance.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'text/csv' },
    body: `email,notes\n${rows.join('')}`,
  });
  t.equal(imported.status, 201);
  const reader = await connectHttp(instance);
  reader.socket.pause();
  reader.write(ask(ann, '/v1/contacts').replace('host', 'accept: text/vcard\r\nhost'));
  await eventually(async () => reader.socket.bytesRead > 0);
  // It has the only place.
  await eventually(async () => (await instance.request(null, 'GET', '/healthz').catch(() => null))?.status === 200);
  reader.socket.resume();
  t.ok((await reader.ended).length < 10 * MIB, 'the rest was not sent');
  t.same(instance.faults, []);
});

t.test('a refusal comes when the body was sent, or when no more of it comes', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const half = Buffer.alloc(20 * MIB, 'a');
  for (const [status, key, headers] of [
    [413, ann.key, undefined],
    [415, ann.key, { 'content-type': 'text/plain' }],
    [401, 'svc_unknown', undefined],
  ] as const) {
    const client = await connectHttp(instance);
    client.write(postHeader({ key }, '/v1/messages', { bytes: 2 * half.length }, headers));
    await new Promise<void>((resolve) => client.socket.write(half, () => resolve()));
    t.equal(client.received, '', 'a client that sends would not read it');
    client.write(half);
    await eventually(async () => client.received !== '');
    t.match(client.received, new RegExp(`^HTTP/1\\.1 ${status} `));
    client[Symbol.dispose]();
  }
  t.same(instance.faults, []);
});
