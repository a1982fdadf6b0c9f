import { decode, encode, type Packet } from 'dns-packet';
import t from 'tap';
import { readQuery } from '../../../../src/transports/dns/query.ts';
import { BASE, edns, openDnsBox, question, rcodeOf } from './dns-box.ts';

const FORMERR = 1;
const NOTIMP = 4;
const REFUSED = 5;

const patched = (packet: Buffer, at: number, ...octets: number[]): Buffer => {
  const copy = Buffer.from(packet);
  for (const [index, octet] of octets.entries()) copy[at + index] = octet;
  return copy;
};

/** The low four bits of the answer's code; null: no answer. */
const codeOf = async (packet: Buffer): Promise<number | null> => {
  const response = await openDnsBox().respond(packet, 'tcp');
  return response && response.readUInt16BE(2) & 0xf;
};

const acme = `acme.${BASE}`;
const plain = question(acme, 'MX');
const nameEnd = plain.length - 4;

t.test('what is malformed is FORMERR where its id can be read, and else unanswered', async (t) => {
  t.equal(await codeOf(Buffer.alloc(0)), null);
  t.equal(await codeOf(plain.subarray(0, 11)), null, 'less than a header');
  t.equal(await codeOf(patched(plain, 2, 0x80)), null, 'a response is not answered');
  t.equal(await codeOf(Buffer.concat([plain, Buffer.alloc(4_096)])), null, 'longer than any query');
  for (let length = 12; length < plain.length; length += 1) {
    t.equal(await codeOf(plain.subarray(0, length)), FORMERR, `cut off at ${length}`);
  }
  t.equal(await codeOf(Buffer.concat([plain, Buffer.from([0])])), FORMERR, 'an octet too many');
  t.equal(await codeOf(patched(plain, 4, 0, 0)), FORMERR, 'no question');
  t.equal(await codeOf(patched(plain, 4, 0, 2)), FORMERR, 'two questions');
  t.equal(await codeOf(patched(plain, 4, 0xff, 0xff)), FORMERR);
  t.equal(await codeOf(patched(plain, 6, 0, 1)), FORMERR, 'an answer');
  t.equal(await codeOf(patched(plain, 8, 0, 1)), FORMERR, 'an authority');
  t.equal(await codeOf(patched(plain, 10, 0, 1)), FORMERR, 'an additional record that is not there');
  t.equal(await codeOf(patched(plain, 10, 0xff, 0xff)), FORMERR);
  t.equal(await codeOf(patched(plain, 12, 0xc0, 12)), FORMERR, 'a pointer to itself');
  t.equal(await codeOf(patched(plain, 12, 0xc0, 0)), FORMERR);
  t.equal(await codeOf(patched(plain, 12, 0x40)), FORMERR, 'a label of a form that there is none of');
  const long = Buffer.concat([
    plain.subarray(0, 12),
    Buffer.from(`${'\x3f'}${'a'.repeat(63)}`.repeat(4)),
    Buffer.alloc(5),
  ]);
  t.equal(await codeOf(long), FORMERR, 'a name of more than 255 octets');
  t.equal(await codeOf(patched(plain, nameEnd, 0, 41)), FORMERR, 'OPT is no question');
  for (const opcode of [1, 2, 4, 5, 15]) t.equal(await codeOf(patched(plain, 2, opcode << 3)), NOTIMP, `${opcode}`);
  t.equal(await codeOf(patched(plain, nameEnd + 2, 0, 3)), REFUSED, 'another class');
  t.equal(await codeOf(patched(plain, nameEnd, 0, 252)), REFUSED, 'a transfer');
  t.equal(await codeOf(patched(plain, nameEnd, 0, 251)), REFUSED);
});

t.test('OPT records and their options', async (t) => {
  const withOpt = question(acme, 'MX', edns());
  const optAt = plain.length;
  t.equal(await codeOf(withOpt), 0);
  t.equal(await codeOf(patched(withOpt, optAt, 0xc0)), FORMERR, 'an owner that is a pointer');
  const twice = Buffer.concat([patched(withOpt, 10, 0, 2), withOpt.subarray(optAt)]);
  t.equal(await codeOf(twice), FORMERR, 'two of them');
  t.equal(await codeOf(patched(withOpt, withOpt.length - 1, 4)), FORMERR, 'options that are cut off');
  for (const length of [0, 1, 7, 9, 15, 41]) {
    const data = Buffer.alloc(length);
    t.equal(await codeOf(question(acme, 'MX', edns(1_232, { options: [{ code: 10, data }] }))), FORMERR, `${length}`);
  }
  const other = edns(1_232, { options: [{ code: 65_001, data: Buffer.alloc(30) }] });
  t.equal(await codeOf(question(acme, 'MX', other)), 0, 'an unknown option is passed over');

  const { ask } = openDnsBox();
  const versioned = await ask(acme, 'MX', edns(1_232, { ednsVersion: 1 }));
  t.match(versioned.additionals?.[0], { type: 'OPT', extendedRcode: 1, ednsVersion: 0, udpPayloadSize: 1_232 });
  t.same([rcodeOf(versioned), versioned.answers?.length], [0, 0], 'BADVERS is 16');
  t.same((await ask(acme, 'MX')).additionals, [], 'none where none was sent');
  const checked = await ask(acme, 'MX', edns(1_232, { flag_do: true, flags: 0x8000 }));
  t.match(checked.additionals?.[0], { flag_do: true });
});

t.test('the letters of the question come back as they were, and any names match', async (t) => {
  const { respond, ask } = openDnsBox();
  const mixed = question(`aCmE.${BASE.toUpperCase()}`, 'MX', { flags: 0x0100 });
  const response = await respond(mixed);
  t.same(response?.subarray(12, mixed.length), mixed.subarray(12), 'as 0x20 wants it');
  const decoded = decode(response ?? Buffer.alloc(0));
  t.equal(decoded.answers?.[0]?.name, `aCmE.${BASE.toUpperCase()}`);
  t.ok(decoded.flag_rd);
  t.equal(decoded.id, 4_711);
  // A label with a dot in it is not two labels.
  const dotted = Buffer.concat([
    plain.subarray(0, 12),
    Buffer.from(`\x0bacme.agents\x03box\x04test\0`),
    plain.subarray(-4),
  ]);
  t.equal(await codeOf(dotted), REFUSED);
  const spaced = await ask(`we ird.${BASE}`, 'A');
  t.equal(rcodeOf(spaced), 3);
  t.match(spaced.authorities?.[0], { name: BASE, type: 'SOA' }, 'names behind odd labels are compressed right');
});

t.test('what dns-packet misreads is read and written here: labels, and names that repeat', (t) => {
  const nameOf = (...labels: string[]) => {
    const octets = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
    return Buffer.concat([plain.subarray(0, 12), ...octets, Buffer.alloc(1), plain.subarray(-4)]);
  };
  const readByBoth = (packet: Buffer) => [decode(packet).questions?.[0]?.name, readQuery(packet)?.question?.name];
  t.same(readByBoth(nameOf('acme.agents', 'test')), ['acme.agents.test', 'acme\\046agents.test'], 'two labels of one');
  t.same(readByBoth(nameOf('\xe4', 'test')), ['\ufffd.test', '\\228.test'], 'octets that are no UTF-8 are lost');
  t.same(readByBoth(nameOf('aCmE', 'test')), ['aCmE.test', 'acme.test']);
  const pointing = patched(plain, 12, 0xc0, 0x00);
  t.same(readQuery(pointing)?.refusal, FORMERR, 'dns-packet would follow the pointer into the header');
  const name = `pr1._domainkey.${acme}`;
  const written = encode({ answers: [{ type: 'A', name, data: '192.0.2.1' }], questions: [{ type: 'A', name }] });
  t.equal(written.length, 12 + 2 * (name.length + 2) + 4 + 14, 'dns-packet writes a name in full each time');
  t.end();
});

t.test('what does not fit is truncated over UDP and whole over TCP', async (t) => {
  const key = `pr1._domainkey.${acme}`;
  const more = Array.from({ length: 12 }, (_, at) => ({
    ...{ purpose: 'spf', type: 'TXT', name: acme, value: `${at} `.repeat(60), priority: null, ttl: 60 },
    required: true,
  })) as never;
  const { ask, respond } = openDnsBox({ more });
  const short = await ask(acme, 'TXT');
  t.same([short.flag_tc, short.answers?.length], [true, 0]);
  const large = await ask(acme, 'TXT', edns(65_535));
  t.same([large.flag_tc, large.answers?.length], [true, 0], 'never more than 1232 octets over UDP');
  const whole = await ask(acme, 'TXT', {}, 'tcp');
  t.same([whole.flag_tc, whole.answers?.length], [false, 13]);
  t.equal((await ask(key, 'TXT', edns())).answers?.length, 1);
  const asked = question(key, 'TXT');
  const response = await respond(asked);
  t.ok((response?.length ?? 0) <= 512);
  const tiny = question(acme, 'TXT', edns(0));
  t.ok(((await respond(tiny))?.length ?? 0) <= 512, 'an advertised size under 512 counts as that');
});

t.test('no answer over UDP without a cookie is ten times its question', async (t) => {
  const { respond } = openDnsBox();
  for (const name of [BASE, acme, `pr1._domainkey.${acme}`, `_dmarc.${acme}`, `no.${BASE}`]) {
    for (const type of ['TXT', 'ANY', 'MX', 'SOA', 'NS']) {
      for (const more of [{}, edns(4_096)]) {
        const asked = question(name, type, more);
        const response = await respond(asked, 'udp', `203.0.${Math.floor(name.length)}.1`);
        t.ok((response?.length ?? 0) <= asked.length * 10, `${name} ${type}`);
      }
    }
  }
});

t.test('any octets are read or refused, and never followed in circles', async (t) => {
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const seeds: Packet[] = [
    { type: 'query', id: 1, questions: [{ name: acme, type: 'MX' }] },
    { type: 'query', id: 2, questions: [{ name: `a.b.${BASE}`, type: 'TXT' }], ...edns() },
    {
      type: 'query',
      id: 3,
      questions: [{ name: BASE, type: 'SOA' }],
      ...edns(512, { options: [{ code: 10, data: Buffer.alloc(24) }] }),
    },
  ];
  const { respond, faults } = openDnsBox();
  let answered = 0;
  for (let round = 0; round < 20_000; round += 1) {
    let packet = Buffer.from(encode(seeds[random(seeds.length)] as Packet));
    for (let change = 0; change <= random(6); change += 1) packet[random(packet.length)] = random(256);
    if (random(3) === 0) packet = packet.subarray(0, random(packet.length + 1));
    if (random(5) === 0) packet = Buffer.concat([packet, Buffer.from([0xc0, random(256), random(256)])]);
    readQuery(packet);
    const response = await respond(packet, 'tcp');
    if (!response) continue;
    answered += 1;
    decode(response);
    if (response.readUInt16BE(0) !== packet.readUInt16BE(0)) t.fail('the id is another');
  }
  t.ok(answered > 10_000, `${answered} were answered`);
  t.same(faults, []);
});
