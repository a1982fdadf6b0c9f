/** What a mail host, a resolver or a client's DNS may make long or many ends at its bound. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import t from 'tap';
import { boundAnswer } from '../../../src/net/dns/answer-bounds.ts';
import { createAuthoritativeLookup } from '../../../src/net/dns/authoritative-lookup.ts';
import { checkIprev } from '../../../src/net/dns/iprev.ts';
import { resolveRoute } from '../../../src/net/dns/mx.ts';
import type { Resolver } from '../../../src/net/dns/resolver.ts';
import { createGuardedHttp } from '../../../src/net/http/guarded-client.ts';
import { SmtpConnection } from '../../../src/net/smtp/client-connection.ts';
import { parseReply } from '../../../src/net/smtp/smtp-reply.ts';
import { createTranscript } from '../../../src/net/smtp/transcript.ts';
import { readTlsrptRecord } from '../../../src/net/tls/tlsrpt-record.ts';

const asked = (answer: (name: string, type: string) => unknown[]) => {
  const names: string[] = [];
  const resolve = async (name: string, type: string) => {
    names.push(`${type} ${name}`);
    return answer(name, type);
  };
  return { names, resolver: { resolve } as unknown as Resolver };
};

/** A server on loopback that says the same to each that connects. */
const saying = async (text: string) => {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined));
    socket.write(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of open) socket.destroy();
    server.close();
  };
  return { port, [Symbol.asyncDispose]: close };
};

t.test('the names that a client or a domain has looked up', async (t) => {
  const many = asked((_, type) => (type === 'PTR' ? Array.from({ length: 9 }, (_each, at) => `n${at}.test`) : []));
  t.match(await checkIprev('192.0.2.1', many.resolver), { state: 'unconfirmed', name: 'n0.test' });
  t.equal(many.names.length, 1 + 3);
  const hosts = Array.from({ length: 30 }, (_, priority) => ({ exchange: `m${priority}.test`, priority }));
  const route = asked((_, type) => (type === 'MX' ? hosts : []));
  await resolveRoute('x.test', route.resolver);
  t.equal(new Set(route.names.map((name) => name.split(' ')[1])).size, 1 + 10);
});

t.test('the servers of a zone, and how far it leads', async (t) => {
  const asks: { server: string; name: string; type: string }[] = [];
  const lookupBy = (replyOf: (name: string, type: string) => object) => {
    asks.length = 0;
    return createAuthoritativeLookup({
      ask: async (server, { name, type, mode }) => {
        asks.push({ server: mode === 'iterative' ? 'zone' : server, name, type });
        const records = {
          NS: Array.from({ length: 9 }, (_, at) => ({ type: 'NS', name, data: `ns${at}.${name}` })),
          A: [{ type: 'A', name, data: '192.0.2.1' }],
        };
        const found = name.endsWith('x.test') ? records[type as keyof typeof records] : undefined;
        const packet = mode === 'iterative' ? replyOf(name, type) : { rcode: 'NOERROR', answers: found ?? [] };
        return { kind: 'answer', packet } as never;
      },
      resolvers: ['recursive'],
      isAllowed: () => true,
    }).lookup;
  };
  const ofZone = () => asks.filter(({ server }) => server === 'zone').length;

  const refusing = lookupBy(() => ({ rcode: 'REFUSED' }));
  t.match(await refusing('x.test', 'TXT'), { kind: 'failed', reason: 'REFUSED' });
  t.equal(asks.filter(({ type }) => type === 'A').length, 4, 'of nine hosts');
  t.equal(ofZone(), 3);

  const name = `${'d.'.repeat(20)}x.test`;
  const delegating = lookupBy(() => {
    const zone = name.slice(-6 - 2 * (ofZone() + 1));
    return { rcode: 'NOERROR', authorities: [{ type: 'NS', name: zone, data: 'ns.x.test' }] };
  });
  // The zone is found from its own name on, so that each answer leads one label down.
  await delegating('x.test', 'TXT');
  asks.length = 0;
  t.match(await delegating(name, 'TXT'), { kind: 'failed', reason: 'too many delegations' });
  t.equal(ofZone(), 5);

  const chain = lookupBy((of) => ({
    rcode: 'NOERROR',
    flag_aa: true,
    answers: [{ type: 'CNAME', name: of, data: `c${ofZone()}.x.test` }],
  }));
  t.match(await chain('a.x.test', 'TXT'), { kind: 'answer', values: [], aliases: { length: 8 } });
});

t.test('an answer of DNS', async (t) => {
  const answer = (octets: number) => {
    const bytes = Buffer.alloc(octets);
    bytes.writeUInt16BE(1, 4);
    return boundAnswer(bytes);
  };
  t.ok(answer(16_384));
  t.equal(answer(16_385), null);
});

t.test('a reply, and the record of a session', async (t) => {
  t.equal(parseReply(`550-${'a'.repeat(4_000)}\r\n550 b`)?.response.length, 2_000);
  const transcript = createTranscript();
  transcript.add('S', Array.from({ length: 40 }, () => '250-X').join('\n'));
  t.equal(transcript.text().split('\n').length, 32);
  transcript.add('S', `250 ${'a'.repeat(1_000)}`);
  t.equal(transcript.text().split('\n').at(-1)?.length, 'S: '.length + 512);
  for (let at = 0; at < 100; at += 1) transcript.add('C', `${at} ${'a'.repeat(400)}`);
  t.ok(transcript.text().length <= 8 * 1_024 + 30);
  t.match(transcript.text(), /^\(earlier lines left out\)\nC: [\s\S]*\nC: 99 a+$/);
});

t.test('a mail host whose reply does not end', async (t) => {
  await using host = await saying(`${'220-more\r\n'.repeat(10_000)}`);
  const connection = await SmtpConnection.connect({ address: '127.0.0.1', port: host.port }, 5_000, () => undefined);
  await t.rejects(connection.readReply(5_000), { message: 'A reply of more than 65536 bytes' });
  t.equal(connection.isIdleAndOpen, false);
  connection.close();
});

t.test('a server of HTTP that answers without an end', async (t) => {
  const { resolver } = asked((_, type) => (type === 'A' ? ['127.0.0.1'] : []));
  const http = createGuardedHttp({ resolver, isAllowedPrivate: () => true, extraCa: null });
  const get = (port: number) =>
    http.request({
      url: new URL(`http://x.test:${port}/`),
      method: 'GET',
      timeoutMs: 5_000,
      maxResponseBytes: 9,
      allowPlain: true,
    });
  const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const last = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  await using few = await saying(early.repeat(8) + last);
  t.equal((await get(few.port)).status, 200);
  await using many = await saying(early.repeat(9) + last);
  await t.rejects(get(many.port), { fault: 'connection', message: 'Interim responses without an end' });
  http.close();
});

t.test('where a domain wants its reports', async (t) => {
  const record = (url: string) => readTlsrptRecord([`v=TLSRPTv1; rua=${url}`]);
  t.equal(record(`https://x.test/${'a'.repeat(1_985)}`)?.urls.length, 1);
  t.equal(record(`https://x.test/${'a'.repeat(1_986)}`), null);
});
