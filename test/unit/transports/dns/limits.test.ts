import { decode } from 'dns-packet';
import t from 'tap';
import { readName } from '../../../../src/transports/dns/names.ts';
import { BASE, edns, openDnsBox, question, rcodeOf, recordsOf } from './dns-box.ts';

const clockAt = (at: number) => {
  const clock = { at, now: () => clock.at };
  return clock;
};

const cookieOf = (response: Buffer | null): Buffer => {
  const [opt] = decode(response ?? Buffer.alloc(0)).additionals ?? [];
  const { options = [] } = opt as unknown as { options?: { code: number; data: Buffer }[] };
  return options.find(({ code }) => code === 10)?.data ?? Buffer.alloc(0);
};

const withCookie = (data: Buffer) => question(BASE, 'SOA', edns(1_232, { options: [{ code: 10, data }] }));
const IP = '198.51.100.9';

t.test('a network is answered up to its rate, then by truncation or not at all', async (t) => {
  const clock = clockAt(1_000_000);
  const { respond } = openDnsBox({ clock });
  const counts = { answers: 0, truncated: 0, dropped: 0 };
  const ask = async (ip: string) => {
    const asked = question(BASE, 'SOA');
    const response = await respond(asked, 'udp', ip);
    if (!response) counts.dropped += 1;
    else if (decode(response).flag_tc) {
      counts.truncated += 1;
      t.equal(response.length, asked.length, 'no larger than its question');
    } else counts.answers += 1;
  };
  for (let n = 0; n < 200; n += 1) await ask(`198.51.100.${n}`);
  t.same(counts, { answers: 100, truncated: 50, dropped: 50 });
  await ask('198.51.101.1');
  t.equal(counts.answers, 101, 'another network has a rate of its own');
  for (let n = 0; n < 120; n += 1) await ask(`2001:db8:0:1${n % 10}::${n}`);
  t.equal(counts.answers, 201, 'a /56 is one network');
  clock.at += 1_000;
  for (let n = 0; n < 60; n += 1) await ask('198.51.100.1');
  t.equal(counts.answers, 251, 'fifty a second');
  t.ok(await respond(question(BASE, 'SOA'), 'tcp', '198.51.100.1'), 'TCP is not limited');
});

t.test('a client with a valid cookie is not limited', async (t) => {
  const clock = clockAt(1_700_000_000_000);
  const { respond } = openDnsBox({ clock });
  const mine = Buffer.from('12345678');
  const given = cookieOf(await respond(withCookie(mine), 'udp', IP));
  t.equal(given.length, 24);
  t.same(given.subarray(0, 8), mine);
  t.equal(given[8], 1, 'the version of RFC 9018');
  for (let n = 0; n < 300; n += 1) await respond(question(BASE, 'SOA'), 'udp', IP);
  const isWhole = async (cookie: Buffer, ip = IP) => {
    const results: boolean[] = [];
    for (let n = 0; n < 4; n += 1) {
      const response = await respond(withCookie(cookie), 'udp', ip);
      results.push(response !== null && !decode(response).flag_tc);
    }
    return results.every(Boolean);
  };
  t.ok(await isWhole(given));
  t.same(cookieOf(await respond(withCookie(given), 'udp', IP)), given, 'it is given back as it is');
  t.notOk(await isWhole(mine), 'half of a cookie proves nothing');
  const forged = Buffer.from(given);
  forged[20] = (forged[20] ?? 0) ^ 1;
  t.notOk(await isWhole(forged));
  t.notOk(await isWhole(given, '198.51.100.10'), 'nor does that of another address');
  const other = Buffer.concat([Buffer.from('87654321'), given.subarray(8)]);
  t.notOk(await isWhole(other));
  t.notOk(await isWhole(Buffer.concat([given, Buffer.alloc(16)])), 'nor one of another length');

  clock.at += 31 * 60_000;
  for (let n = 0; n < 300; n += 1) await respond(question(BASE, 'SOA'), 'udp', IP);
  t.ok(await isWhole(given));
  const renewed = cookieOf(await respond(withCookie(given), 'udp', IP));
  t.notSame(renewed, given, 'after half an hour it is given a new one');
  clock.at += 30 * 60_000;
  for (let n = 0; n < 300; n += 1) await respond(question(BASE, 'SOA'), 'udp', IP);
  t.notOk(await isWhole(given), 'after an hour it is over');
  t.ok(await isWhole(renewed));
  clock.at -= 2 * 3_600_000;
  t.notOk(await isWhole(renewed), 'one from the future is none');
});

t.test('a name of a DNS question', async (t) => {
  const wire = (...labels: number[]) =>
    Buffer.concat([...labels.map((octets) => Buffer.from([octets, ...Buffer.alloc(octets, 'a')])), Buffer.from([0])]);
  t.equal(readName(wire(63, 1), 0)?.end, 67);
  t.equal(readName(wire(64, 1), 0), null);
  t.equal(readName(wire(63, 63, 63, 61), 0)?.end, 255);
  t.equal(readName(wire(63, 63, 63, 62), 0), null);
});

t.test('what is much larger than its question needs a cookie; a question has a length and few records', async (t) => {
  const name = `long.acme.${BASE}`;
  const [, , text] = recordsOf(name, BASE);
  if (!text) throw new Error('The text of a domain was to be there.');
  const { respond } = openDnsBox({ more: [{ ...text, value: 'v'.repeat(900) }] });
  const isWhole = async (packet: Buffer) => decode((await respond(packet)) ?? Buffer.alloc(0)).flag_tc === false;
  const asking = (options: object[]) => question(name, 'TXT', edns(1_232, { options }));
  t.equal(await isWhole(asking([])), false, 'more than ten times');
  const cookie = cookieOf(await respond(withCookie(Buffer.from('12345678'))));
  t.equal(await isWhole(asking([{ code: 10, data: cookie }])), true);

  const padded = (octets: number) =>
    respond(question(BASE, 'SOA', edns(1_232, { options: [{ code: 12, data: Buffer.alloc(octets) }] })));
  t.ok(await padded(3_900));
  t.equal(await padded(4_096), null);
  const more = (count: number) => Array.from({ length: count }, () => ({ type: 'TXT', name: 'a', data: 'x' }) as const);
  for (const [count, rcode] of [
    [4, 0],
    [5, 1],
  ] as const) {
    const response = await respond(question(BASE, 'SOA', { additionals: more(count) as never }));
    t.equal(rcodeOf(decode(response ?? Buffer.alloc(0))), rcode);
  }
});
