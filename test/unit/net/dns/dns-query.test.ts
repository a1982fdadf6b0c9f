import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { encode } from 'dns-packet';
import t from 'tap';
import { queryDns } from '../../../../src/net/dns/dns-query.ts';
import { chainedPointers } from '../../../harness/net/dns-packets.ts';

const HEADER_BYTES = 12;
const TRUNCATED = 0x0200;
/** An OPT record without options. */
const OPT_BYTES = 11;

/** Answers every question over UDP as truncated, and over TCP with what `answer` makes of its id and question. */
const startServer = async (answer: (id: number, question: Buffer) => Buffer) => {
  const tcp = createServer((socket) =>
    socket.once('data', (query) => {
      const bytes = answer(query.readUInt16BE(2), query.subarray(2 + HEADER_BYTES, query.length - OPT_BYTES));
      socket.end(Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]));
    }),
  );
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (query, { port: from, address }) => {
    const questions = [{ type: 'MX' as const, name: 'x.example' }];
    udp.send(encode({ type: 'response', id: query.readUInt16BE(0), flags: TRUNCATED, questions }), from, address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    server: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
};

t.test('an answer over TCP that would be dear to decode is no answer', async (t) => {
  const ask = async (pointers: number, records: number) => {
    await using server = await startServer((id, question) => chainedPointers(pointers, records, id, question));
    return await queryDns(server.server, { name: 'x.example', type: 'MX' }, 5_000);
  };
  t.match(await ask(20, 5), {
    kind: 'answer',
    packet: { answers: { 0: { name: '.' }, 1: { type: 'NS', name: '.' } } },
  });
  t.match(await ask(300, 5), { kind: 'failed', reason: 'no answer to the question' });
  t.match(await ask(8_000, 3_000), { kind: 'failed', reason: /^an answer of \d{5} octets$/ });
});
