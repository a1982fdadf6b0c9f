import { type DecodedPacket, decode, encode, type Packet } from 'dns-packet';
import t from 'tap';
import { boundAnswer, MAX_ANSWER_BYTES } from '../../../../src/net/dns/answer-bounds.ts';
import { chainedPointers, packetOf } from '../../../harness/net/dns-packets.ts';

const decodeBounded = (bytes: Buffer): DecodedPacket | null => {
  const bounded = boundAnswer(bytes);
  return bounded && decode(bounded);
};

const pointer = (at: number): Buffer => Buffer.from([0xc0 | (at >> 8), at & 0xff]);

t.test('ordinary answers are decoded as they are', (t) => {
  const packet: Packet = {
    type: 'response',
    id: 7,
    questions: [{ type: 'MX', name: 'x.example' }],
    answers: [
      { type: 'MX', name: 'x.example', data: { preference: 10, exchange: 'mx.x.example' } },
      { type: 'CNAME', name: 'y.example', data: 'x.example' },
      { type: 'TXT', name: 'x.example', data: ['v=spf1', '-all'] },
      { type: 'AAAA', name: 'x.example', data: '::1' },
    ],
    authorities: [
      { type: 'NS', name: 'example', data: 'ns.example' },
      {
        type: 'SOA',
        name: 'example',
        data: { mname: 'ns.example', rname: 'h.example', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
      },
    ],
    additionals: [{ type: 'A', name: 'ns.example', data: '127.0.0.1' }],
  };
  const bytes = Buffer.from(encode(packet));
  t.same(decodeBounded(bytes), decode(bytes));
  t.end();
});

t.test('records of types that are not read are left as octets', (t) => {
  const bytes = Buffer.from(
    encode({
      type: 'response',
      questions: [{ type: 'A', name: 'x.example' }],
      answers: [
        { type: 'RP', name: 'x.example', data: { mbox: 'a.example', txt: 'b.example' } },
        { type: 'A', name: 'x.example', data: '127.0.0.1' },
      ],
    }),
  );
  t.match(decodeBounded(bytes)?.answers, [{ data: Buffer }, { type: 'A', data: '127.0.0.1' }]);
  t.end();
});

t.test('what would be dear to decode is refused', (t) => {
  const a = (name: Buffer, data = Buffer.alloc(4)) => ({ name, type: 1, data });
  const root = Buffer.from([0]);
  // Each pointer of the chain stands in the data of the first record.
  t.equal(boundAnswer(chainedPointers(8_100, 3_070)), null, 'of 64 KiB');
  t.equal(boundAnswer(chainedPointers(33, 1)), null, '33 pointers');
  t.ok(boundAnswer(chainedPointers(32, 1)), '32 pointers');
  t.equal(boundAnswer(chainedPointers(30, 400)), null, 'more steps in all');
  t.equal(boundAnswer(packetOf([a(pointer(17))])), null, 'a pointer to itself');
  t.equal(boundAnswer(packetOf([a(pointer(0x300))])), null, 'a pointer ahead');
  t.equal(boundAnswer(packetOf([a(Buffer.from([0x41, 0]))])), null, 'an unknown kind of label');
  t.ok(boundAnswer(packetOf(Array.from({ length: 500 }, () => a(root)))));
  t.equal(boundAnswer(packetOf(Array.from({ length: 501 }, () => a(root)))), null, '501 records');
  t.equal(boundAnswer(packetOf([a(root, Buffer.alloc(200))])), null, 'data in which the decoder would go on');
  t.equal(boundAnswer(packetOf([a(root)]).subarray(0, -1)), null, 'cut short');
  t.equal(boundAnswer(Buffer.alloc(MAX_ANSWER_BYTES + 1)), null);
  for (let size = 0; size < 30; size += 1) t.equal(boundAnswer(Buffer.alloc(size, 255)), null, `${size} octets`);
  t.end();
});
