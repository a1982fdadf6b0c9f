/** The zone of the base domain, answered by the daemon itself: as dig sees it. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { decode, encode } from 'dns-packet';
import t from 'tap';
import { SECOND } from '../../../src/kernel/clock.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { createTestClock } from '../../harness/domains.ts';
import { type InstanceOptions, startInstance, type TestInstance } from '../../harness/instance.ts';
import { dig, digShort } from '../../harness/net/dig.ts';

const BASE = 'agents.box.test';
const ACME = `acme.${BASE}`;

/** Without `trusted`, loopback has a network's share like any other. */
const start = (more: InstanceOptions = {}) =>
  startInstance({ ...more, smtp: 'trusted = []', toml: '[dns.server]\nlisten = ["127.0.0.1:0"]\n' });
const serverOf = ({ daemon }: TestInstance): string => daemon.dns[0] ?? '';

interface Published {
  type: string;
  name: string;
  value: string;
  priority: number | null;
}

/** The text of a TXT record as dig prints its strings. */
const joined = (line: string): string => line.slice(1, -1).replaceAll('" "', '');

t.test('every record that is to be published is answered, and a new workspace at once', async (t) => {
  const clock = createTestClock();
  await using instance = await start({ runtime: { clock } });
  const server = serverOf(instance);
  t.match(server, /^127\.0\.0\.1:\d+$/);
  const added = await runCli(instance.configPath, 'workspaces', 'add', 'Beta', '--owner', 'b@remote.test');
  t.match(added.stdout, /built-in DNS server answers its records, as soon as agents\.box\.test is delegated/);
  t.notMatch(added.stdout, /dns show/);
  for (const domain of [BASE, ACME, `beta.${BASE}`]) {
    const records = (await cliJson(instance.configPath, 'dns', 'show', domain)) as unknown as Published[];
    t.ok(records.length >= 6);
    for (const { type, name, value, priority } of records) {
      const found = await digShort(server, name, type);
      const wanted = type === 'TXT' ? value : `${priority === null ? '' : `${priority} `}${value}.`;
      t.ok((type === 'TXT' ? found.map(joined) : found).includes(wanted), `${type} ${name}`);
    }
  }
  t.same(await digShort(server, BASE, 'NS'), ['mx.box.test.']);
  t.match(await digShort(server, BASE, 'SOA'), [
    /^mx\.box\.test\. hostmaster\.agents\.box\.test\. \d+ 3600 600 604800 60$/,
  ]);
  t.equal((await dig(server, `_mta-sts.${ACME}`, 'TXT')).status, 'NXDOMAIN', 'no policy without TLS');
  t.equal((await dig(server, `mta-sts.${ACME}`, 'A')).status, 'NXDOMAIN');

  t.equal((await runCli(instance.configPath, 'workspaces', 'remove', 'beta', '--yes')).code, 0);
  clock.skip(6 * SECOND);
  t.equal((await dig(server, `beta.${BASE}`, 'MX')).status, 'NXDOMAIN', 'a removed workspace has no records');

  const name = `_acme-challenge.mta-sts.${ACME}`;
  instance.daemon.challenges.setChallenge(name, 'token');
  t.same(await digShort(server, name, 'TXT'), ['"token"']);
  instance.daemon.challenges.removeChallenge(name, 'token');
  t.equal((await dig(server, name, 'TXT')).status, 'NXDOMAIN');
  t.same(instance.faults, []);
});

t.test('one NS record is advised in place of all where the zone is not delegated', async (t) => {
  await using instance = await start();
  const check = () => runCli(instance.configPath, 'dns', 'check', `beta.${BASE}`);
  await cliJson(instance.configPath, 'workspaces', 'add', 'Beta', '--owner', 'b@remote.test');
  const missing = await check();
  t.equal(missing.code, 1);
  t.match(missing.stdout, /Publish one record in the zone above: agents\.box\.test\. NS mx\.box\.test\./);
  t.notMatch(missing.stdout, /Publish this/);
  instance.dns.zone.set(BASE, 'NS', ['mx.box.test']);
  t.match(await check(), { code: 1, stdout: /Publish this MX record at beta\.agents\.box\.test/ });
  const shown = await runCli(instance.configPath, 'dns', 'show', `acme.${BASE}`);
  t.match(shown.stdout, `Publish one record in the zone above: ${BASE}. NS mx.box.test.`);
});

t.test('flags, sections and refusals as dig sees them', async (t) => {
  await using instance = await start();
  const server = serverOf(instance);
  const found = await dig(server, ACME, 'MX');
  t.match(found, { status: 'NOERROR', answer: [`${ACME}. 3600 IN MX 10 mx.box.test.`] });
  t.same(found.flags, ['qr', 'aa', 'rd'], 'authoritative, and no recursion');
  t.match(found.text, /EDNS: version: 0, flags:; udp: 1232/);
  t.match(found.text, /COOKIE: [0-9a-f]{48} \(good\)/);
  const soa = [/^agents\.box\.test\. 60 IN SOA mx\.box\.test\./];
  t.match(await dig(server, `no.${BASE}`, 'MX'), { status: 'NXDOMAIN', answer: [], authority: soa });
  t.match(await dig(server, ACME, 'A'), { status: 'NOERROR', answer: [], authority: soa });
  t.match(await dig(server, `_domainkey.${ACME}`, 'TXT'), { status: 'NOERROR', answer: [], authority: soa });
  t.match(await dig(server, ACME, 'ANY'), { status: 'NOERROR', answer: [`${ACME}. 3600 IN HINFO "RFC8482" ""`] });
  t.match(await dig(server, 'remote.test', 'MX'), { status: 'REFUSED', answer: [], authority: [] });
  t.match(await dig(server, '-c', 'CH', 'version.bind', 'TXT'), { status: 'REFUSED' });
  t.match(await dig(server, BASE, 'AXFR'), { text: /Transfer failed/ });
  t.match(await dig(server, '+opcode=UPDATE', BASE, 'SOA'), { status: 'NOTIMP' });
  t.match(await dig(server, '+edns=1', '+noednsneg', BASE, 'SOA'), { status: 'BADVERS' });
  t.match(await dig(server, 'aCmE.AgEnTs.bOx.TeSt', 'MX'), { answer: [/^aCmE\.AgEnTs\.bOx\.TeSt\. /] });

  const key = `pr1._domainkey.${ACME}`;
  const small = await dig(server, '+noedns', '+ignore', key, 'TXT');
  const whole = await dig(server, '+noedns', key, 'TXT');
  t.equal(whole.answer.length, 1);
  t.ok(small.flags.includes('tc') || small.answer.length === 1, 'whole, or truncated with TCP behind it');
  t.equal((await dig(server, '+tcp', key, 'TXT')).answer.length, 1);
  const both = await dig(server, '+tcp', '+keepopen', ACME, 'MX', BASE, 'NS');
  t.match(both.text, /MX\s+10 mx\.box\.test\.[\s\S]*NS\s+mx\.box\.test\./, 'several in a connection');
  t.same(instance.faults, []);
});

const query = (name: string) => encode({ type: 'query', id: 9, questions: [{ name, type: 'MX' }] });
const framed = (packet: Buffer): Buffer => {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(packet.length);
  return Buffer.concat([size, packet]);
};

/** What a connection brings until the server closes it, cut into messages. */
const overTcp = async (server: string, sent: Buffer): Promise<Buffer[]> => {
  const socket = connect(Number(server.split(':')[1]), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.write(sent);
  await once(socket, 'close');
  let rest = Buffer.concat(chunks);
  const messages: Buffer[] = [];
  while (rest.length >= 2 && rest.length >= rest.readUInt16BE(0) + 2) {
    messages.push(rest.subarray(2, rest.readUInt16BE(0) + 2));
    rest = rest.subarray(rest.readUInt16BE(0) + 2);
  }
  return messages;
};

t.test('connections are bounded in queries, size and number', async (t) => {
  await using instance = await start();
  const server = serverOf(instance);
  const many = Buffer.concat(Array.from({ length: 150 }, (_, at) => framed(query(at % 2 ? ACME : BASE))));
  const answers = await overTcp(server, many);
  t.equal(answers.length, 100, 'so many queries, and the connection ends');
  t.ok(answers.every((each) => decode(each).answers?.length === 1));
  t.match(decode(answers[1] ?? Buffer.alloc(0)).questions, [{ name: ACME }], 'in their order');
  t.same(await overTcp(server, Buffer.from([0, 0])), [], 'an empty message ends it');
  t.same(await overTcp(server, Buffer.from([0xff, 0xff, 1])), [], 'one that is too long at once');
  const responses = await overTcp(server, Buffer.concat([framed(query(ACME)), framed(Buffer.alloc(5))]));
  t.equal(responses.length, 1, 'what is not answered ends it');

  const sockets = Array.from({ length: 25 }, () => connect(Number(server.split(':')[1]), '127.0.0.1'));
  const closed = sockets.map((socket) => {
    socket.on('error', () => {});
    return once(socket, 'close').then(() => 'closed');
  });
  t.equal(await Promise.race(closed), 'closed', 'a network has 20');
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  t.equal((await dig(server, '+tcp', ACME, 'MX')).status, 'NOERROR', 'and there is room again');
  t.same(instance.faults, []);
});

t.test('a flood from one network is answered up to its rate; TCP and cookies go on', async (t) => {
  await using instance = await start();
  const server = serverOf(instance);
  const socket = createSocket('udp4');
  const answers: Buffer[] = [];
  socket.on('message', (message) => answers.push(message));
  socket.connect(Number(server.split(':')[1]), '127.0.0.1');
  await once(socket, 'connect');
  for (let n = 0; n < 1_000; n += 1) socket.send(query(ACME));
  t.equal((await dig(server, '+tcp', ACME, 'MX')).status, 'NOERROR');
  // Every second response beyond the rate is dropped: a client asks again.
  const asked = await dig(server, '+tries=5', '+time=1', ACME, 'MX');
  t.equal(asked.status, 'NOERROR', 'over UDP, or over TCP when it is truncated');
  const whole = answers.filter((answer) => !decode(answer).flag_tc);
  const isBounded = whole.length >= 100 && whole.length < 600;
  t.ok(isBounded, `${whole.length} whole, ${answers.length - whole.length} truncated answers`);
  t.ok(answers.length < 1_000);
  socket.close();
  t.same(instance.faults, []);
});
