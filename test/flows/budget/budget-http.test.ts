import { readdirSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { connectHttp, postHeader, type RawHttp } from '../../harness/http/raw-http.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { currentHeaders, currentMessage } from '../../harness/mcp/current-request.ts';
import { INTRODUCTION, mcpRequest } from '../../harness/mcp/mcp-request.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { startProcessBox } from '../../harness/process.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const MIB = 1024 * 1024;

const turnedAway = (instance: TestInstance) =>
  instance.warned.filter(({ message }) => message === 'turned away').map(({ fields }) => fields);

t.test('idle connections of one address keep nobody from HTTP or SMTP', async (t) => {
  await using instance = await startProcessBox({}, []);
  const { pid } = instance.daemon;
  const { config, smtpPort, agents } = instance.instance;
  const held = await Promise.all(Array.from({ length: 1_100 }, () => connectHttp({ config }, '127.0.0.9')));
  await using client = await RawSmtp.connect({ port: smtpPort });
  t.match(await client.reply(), /^220 /);
  t.match(await sendMail(smtpPort, { to: [agents.ann.address] }), /^250 2\./);
  t.equal((await instance.instance.request(agents.ann, 'GET', '/v1/identity')).status, 200);
  // While they are still open.
  await eventually(async () => held.filter(({ received }) => received === '').length === 400);
  t.ok(readdirSync(`/proc/${pid}/fd`).length < 600, 'the share of one network, and what the daemon has itself');
  t.match(instance.daemon.output(), /"resource":"http connections","network":"127\.0\.0\.9","limit":"network"/);
  const refused = held.filter(({ received }) => received.startsWith('HTTP/1.1 503')).length;
  t.equal(refused, 700);
  for (const each of held) each[Symbol.dispose]();
});

t.test('where the process has few descriptors, fewer connections are taken, and the start says so', async (t) => {
  await using instance = await startProcessBox({ toml: '[budget]\ndescriptor_reserve = 100000000\n' });
  t.match(instance.daemon.output(), /too few descriptors for the connections of \[budget\]/);
  const first = await connectHttp(instance.instance);
  const second = await connectHttp(instance.instance);
  t.match(await second.ended, /^HTTP\/1\.1 503 .*\{"error":"overloaded"/s);
  first[Symbol.dispose]();
  t.match(await sendMail(instance.instance.smtpPort, { to: [instance.instance.agents.ann.address] }), /^250 2\./);
});

t.test('a connection has a short time for its first header, with and without TLS', async (t) => {
  await using plain = await startInstance({ toml: '[budget]\nhttp_header_seconds = 0.4\n' });
  const silent = await connectHttp(plain);
  const trickling = await connectHttp(plain);
  trickling.write('GET /healthz HTTP/1.1\r\n');
  const drip = setInterval(() => trickling.write('x: y\r\n'), 50);
  // The drip goes on until both have ended: it does not extend the time.
  await Promise.all([silent.ended, trickling.ended]);
  clearInterval(drip);
  t.equal((await plain.request(plain.agents.ann, 'GET', '/v1/identity')).status, 200);
  const { key, cert } = selfSigned('mx.box.test');
  for (const [name, pem] of Object.entries({ key, cert })) writeFileSync(`${plain.directory}/${name}.pem`, pem);
  await using secure = await startInstance({
    toml: '[budget]\nhttp_header_seconds = 0.4\n',
    tls: `mode = "files"\ncert_file = "${plain.directory}/cert.pem"\nkey_file = "${plain.directory}/key.pem"`,
  });
  const handshake = await connectHttp(secure);
  t.equal(await handshake.ended, '', 'no handshake in time');
});

t.test('with every place taken, the connection that has been idle longest makes room', async (t) => {
  await using instance = await startInstance({ toml: '[budget]\nhttp_connections = 2\ngive_way_seconds = 0\n' });
  const idle = await connectHttp(instance);
  const busy = await connectHttp(instance);
  busy.write(
    `GET /v1/messages/wait?timeout=20 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${instance.agents.ann.key}\r\n\r\n`,
  );
  await eventually(async () => (await instance.request(null, 'GET', '/healthz').catch(() => null))?.status === 200);
  t.equal(await idle.ended, '');
  t.equal(busy.socket.destroyed, false, 'one with a request under way is left alone');
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] });
  await eventually(async () => busy.received.includes('"A question"'));
  busy[Symbol.dispose]();
});

t.test('with every place taken by requests without a key, one of them makes room', async (t) => {
  await using instance = await startInstance({ toml: '[budget]\nhttp_connections = 2\ngive_way_seconds = 0.2\n' });
  const uploads = await stall(instance, 2, '/v1/signup', 1024);
  await eventually(async () => (await instance.request(null, 'GET', '/healthz').catch(() => null))?.status === 200);
  t.equal(await Promise.race(uploads.map(({ ended }) => ended)), '');
  for (const upload of uploads) upload[Symbol.dispose]();
  t.same(instance.faults, []);
});

t.test('no request makes room that is new, of a workspace with few, or of a network at its own bound', async (t) => {
  const refusedBeside = async (limits: string, hold: (instance: TestInstance) => Promise<RawHttp>) => {
    await using instance = await startInstance({ toml: `[budget]\n${limits}\n` });
    const held = await hold(instance);
    const other = await connectHttp(instance);
    t.match(await other.ended, /^HTTP\/1\.1 503 /, limits);
    t.equal(held.socket.destroyed, false, limits);
    held[Symbol.dispose]();
  };
  const upload = async (instance: TestInstance) => {
    const begun = await connectHttp(instance);
    begun.write(postHeader(instance.agents.ann, '/v1/signup', { bytes: 1024 }, { expect: '100-continue' }));
    await eventually(async () => begun.received.startsWith('HTTP/1.1 100'));
    return begun;
  };
  await refusedBeside('http_connections = 1\ngive_way_seconds = 60', upload);
  await refusedBeside('http_connections_per_network = 1\ngive_way_seconds = 0', upload);
  await refusedBeside('http_connections = 1\ngive_way_seconds = 0', async (instance) => {
    const stream = await connectHttp(instance);
    stream.write(`GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${instance.agents.ann.key}\r\n\r\n`);
    await eventually(async () => stream.received.startsWith('HTTP/1.1 200'));
    return stream;
  });
});

t.test('the streams of one workspace, by however many keys, keep no other from HTTP', async (t) => {
  await using instance = await startInstance({ toml: '[budget]\nhttp_connections = 40\ngive_way_seconds = 0.2\n' });
  const { ann } = instance.agents;
  const guest = await instance.addAgent('eve', await instance.addWorkspace('guest'));
  const open = async (key: string) => {
    const stream = await connectHttp(instance);
    stream.write(`GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
    await eventually(async () => stream.received.startsWith('HTTP/1.1 200') || stream.socket.destroyed);
    return stream;
  };
  const own = [await open(ann.key), await open(ann.key)];
  const others: RawHttp[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { key } = await cliJson(instance.configPath, 'keys', 'add', 'eve');
    for (let stream = 0; stream < 15; stream += 1) others.push(await open(String(key)));
  }
  const isOpen = ({ socket }: RawHttp) => !socket.destroyed;
  t.equal((await instance.request(guest, 'GET', '/v1/identity')).status, 200);
  await eventually(async () => (await instance.request(ann, 'GET', '/v1/identity').catch(() => null))?.status === 200);
  for (let n = 0; n < 5; n += 1) own.push(await open(ann.key));
  t.equal(own.filter(isOpen).length, 7);
  await eventually(async () => others.filter(isOpen).length <= 40 - own.length);
  t.ok(others.filter(isOpen).length > 20, 'the rest of it goes on');
  for (const stream of [...own, ...others]) stream[Symbol.dispose]();
  t.same(instance.faults, []);
});

/** Uploads that stall after their first bytes, and the answers of those that got one at once. */
const stall = async (
  instance: TestInstance,
  count: number,
  path: string,
  bytes: number,
  chunked = false,
): Promise<RawHttp[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const upload = await connectHttp(instance);
      upload.write(postHeader(instance.agents.ann, path, chunked ? 'chunked' : { bytes }));
      const part = `{"body":"${'x'.repeat(bytes / 2)}`;
      upload.write(chunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part);
      return upload;
    }),
  );

for (const path of ['/v1/messages', '/mcp']) {
  t.test(`stalled uploads to ${path} hold no more than the key's share`, async (t) => {
    await using instance = await startInstance({
      toml: `[budget]\nbody_bytes_per_key = ${8 * MIB}\nbody_bytes_per_workspace = ${8 * MIB}\n`,
    });
    const uploads = await stall(instance, 24, path, 4 * MIB);
    await eventually(async () => uploads.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length === 22);
    const answer = uploads.find(({ received }) => received !== '')?.received ?? '';
    t.match(answer, /"error":"rate_limited","hint":"The requests of this (key|workspace)/);
    t.match(answer, /retry-after: 10/i);
    t.match(turnedAway(instance)[0], { resource: 'body bytes', asked: 4 * MIB, used: 8 * MIB, most: 8 * MIB });
    t.equal(
      (await instance.request(instance.agents.bob, 'GET', '/v1/identity')).status,
      200,
      'what has no body is answered',
    );
    for (const upload of uploads) upload[Symbol.dispose]();
    await eventually(
      async () => (await instance.request(instance.agents.ann, 'POST', '/v1/messages', {})).status === 400,
    );
    t.same(instance.faults, []);
  });
}

t.test('what all requests hold together is bounded, whoever asks', async (t) => {
  await using instance = await startInstance({ toml: `[budget]\nbody_bytes = ${MIB}\n` });
  const uploads = await stall(instance, 3, '/v1/messages', MIB / 2);
  const refused = () => uploads.filter(({ received }) => received !== '');
  await eventually(async () => refused().length === 1);
  t.match(refused()[0]?.received, /^HTTP\/1\.1 503 .*"error":"overloaded"/s);
  t.match(refused()[0]?.received, /^retry-after: \d+\r$/m);
  const larger = await connectHttp(instance);
  larger.write(postHeader(instance.agents.ann, '/v1/messages', { bytes: 100 * MIB }));
  t.match(await larger.ended, /^HTTP\/1\.1 413 /, 'what is not kept takes no part of it');
  for (const upload of uploads) upload[Symbol.dispose]();
  t.same(instance.faults, []);
});

t.test('a chunked upload is counted as it comes', async (t) => {
  await using instance = await startInstance({ toml: `[budget]\nbody_bytes_per_key = ${4 * MIB}\n` });
  const uploads = await stall(instance, 6, '/v1/messages', 2 * MIB, true);
  await eventually(async () => uploads.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length >= 2);
  for (const upload of uploads) upload[Symbol.dispose]();
  const small = await connectHttp(instance);
  const body = JSON.stringify({ to: [instance.agents.bob.address], subject: 'Chunked', body: 'x' });
  small.write(postHeader(instance.agents.ann, '/v1/messages', 'chunked'));
  small.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  await eventually(async () => small.received.includes('"status":"sent"'));
  small[Symbol.dispose]();
  t.same(instance.faults, []);
});

t.test('strangers hold up nobody with their bodies', async (t) => {
  await using instance = await startInstance({ toml: `[budget]\nbody_bytes = ${MIB / 2}\n` });
  const { ann } = instance.agents;
  const signups = await stall(instance, 4, '/v1/signup', 16 * 1024);
  await eventually(async () => signups.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length === 2);
  t.match(turnedAway(instance)[0], {
    resource: 'body bytes without authentication',
    limit: 'network',
    most: 32 * 1024,
  });
  const patched = await instance.request(ann, 'PATCH', '/v1/identity', { display_name: 'Ann' });
  t.equal(patched.status, 200, 'a caller has places of its own');

  const console = await connectHttp(instance);
  console.write(postHeader(ann, '/console/api/contacts/list', { bytes: 8 * MIB }));
  await eventually(async () => console.received.startsWith('HTTP/1.1 4'));
  t.match(console.received, /^HTTP\/1\.1 401 /, 'without a session none is waited for');
  for (const each of [...signups, console]) each[Symbol.dispose]();

  const bomb = await fetch(new URL('/v1/messages', instance.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json' },
    body: `[${'[],'.repeat(60_000)}[]]`,
  });
  t.same([bomb.status, ((await bomb.json()) as { error: string }).error], [413, 'body_too_large']);
  t.same(instance.faults, []);
});

t.test('a body that comes too slowly is refused, with an answer', async (t) => {
  await using instance = await startInstance({
    toml: '[budget]\nleast_bytes_per_second = 100000\nspeed_seconds = 0.3\n',
  });
  const [upload] = await stall(instance, 1, '/v1/messages', MIB);
  t.match(await upload?.ended, /^HTTP\/1\.1 400 .*"error":"invalid_request","hint":"The body came too slowly/s);
  const [chunked] = await stall(instance, 1, '/v1/messages', MIB, true);
  t.match(await chunked?.ended, /^HTTP\/1\.1 400 .*too slowly/s);
  t.same(instance.faults, []);
});

/** Asks for a whole message, by each of the doors that give one. */
const largeReplies: Record<string, (agent: TestAgent, messageId: string, session: string) => string> = {
  '/v1': ({ key }, id) => `GET /v1/messages/${id}/raw HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`,
  '/mcp': (agent, id) => {
    const uri = `postroom://messages/${id}/raw`;
    const body = JSON.stringify(currentMessage('resources/read', { uri }));
    return postHeader(agent, '/mcp', { bytes: body.length }, currentHeaders('resources/read', uri)) + body;
  },
  '/mcp of 2025': (agent, id, session) => {
    const params = { uri: `postroom://messages/${id}/raw` };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params });
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    return postHeader(agent, '/mcp', { bytes: body.length }, headers) + body;
  },
};

for (const [door, ask] of Object.entries(largeReplies)) {
  t.test(
    `a client that does not take in a large reply of ${door} is ended, and held no more than its share`,
    async (t) => {
      await using instance = await startInstance({
        // Longer than an answer takes on a busy machine: the first is held when the second is asked for.
        toml: `[budget]\nleast_bytes_per_second = 100000\nspeed_seconds = 1.5\nbody_bytes_per_key = ${10 * MIB}\n`,
      });
      const { ann } = instance.agents;
      await sendMail(instance.smtpPort, { to: [ann.address], text: 'x'.repeat(70).concat('\n').repeat(90_000) });
      const [listed] = (await instance.client(ann).messages.list({})).messages;
      const { headers } = await mcpRequest(instance, ann, { body: INTRODUCTION });
      const reader = await connectHttp(instance);
      reader.socket.pause();
      reader.write(ask(ann, String(listed?.id), String(headers['mcp-session-id'])));
      await eventually(async () => reader.socket.bytesRead > 16_384);
      const readWhole = async () => {
        const reply = await instance.request(ann, 'GET', `/v1/messages/${listed?.id}/raw`);
        return { status: reply.status, text: await reply.text() };
      };
      const refused = await readWhole();
      t.equal(refused.status, 429);
      t.match(refused.text, /hold as many bytes as it may have/);
      await eventually(async () => (await readWhole()).status === 200);
      reader[Symbol.dispose]();
      t.same(instance.faults, []);
    },
  );
}
