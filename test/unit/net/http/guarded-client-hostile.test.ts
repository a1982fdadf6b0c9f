import { once } from 'node:events';
import { createServer, type TLSSocket } from 'node:tls';
import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
import { createGuardedHttp, GuardedHttpError } from '../../../../src/net/http/guarded-client.ts';
import { selfSigned } from '../../../harness/net/certificate.ts';
import { freePort } from '../../../harness/net/free-port.ts';

const certificate = selfSigned('localhost');
const resolver = createResolver({ servers: ['127.0.0.1:1'], timeoutMs: 100, clock: systemClock });

/** A peer that speaks TLS and then whatever it likes. */
const against = async (speak: (socket: TLSSocket) => void, timeoutMs = 1_000, isHeaderEnough = false) => {
  const sockets = new Set<TLSSocket>();
  const server = createServer(certificate, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => speak(socket));
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const guardedHttp = createGuardedHttp({ resolver, isAllowedPrivate: () => true, extraCa: certificate.cert });
  const url = new URL(`https://127.0.0.1:${port}/`);
  try {
    return await guardedHttp.request({
      url,
      method: 'POST',
      timeoutMs,
      maxResponseBytes: 100,
      pool: 'x',
      isHeaderEnough,
    });
  } catch (error) {
    if (error instanceof GuardedHttpError) return { fault: error.fault, message: error.message };
    throw error;
  } finally {
    guardedHttp.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
};

const flood = (socket: TLSSocket, text: string): void => {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
};

t.test('peers that speak no HTTP, or too much of it', async (t) => {
  const broken = { fault: 'connection' };
  t.match(await against((socket) => socket.destroy()), broken, 'closes');
  t.match(await against((socket) => socket.end('220 mx ESMTP\r\n')), broken, 'speaks SMTP');
  t.match(await against((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')), broken, 'ends early');
  t.match(
    await against((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ),
    broken,
    'changes protocol',
  );
  t.match(
    await against((socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))),
    broken,
    'never comes to the point',
  );
  t.match(
    await against((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, `x-a: ${'y'.repeat(1000)}\r\n`);
    }),
    broken,
    'headers without an end',
  );
  t.match(
    await against((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      flood(socket, `1;${'e'.repeat(1000)}\r\nx\r\n`);
    }),
    { status: 200, truncated: true },
    'a body without an end is cut',
  );
  t.match(await against((socket) => socket.write('HTTP/1.1 200 OK\r\n')), { fault: 'time_out' }, 'half a head');
  t.match(await against((socket) => socket.write('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n')), { status: 999 });
  t.match(
    await against((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nnot gzip')),
    { status: 200 },
    'nothing is unpacked',
  );
});

t.test('where the header is enough, a body that breaks off or does not end changes nothing', async (t) => {
  const header = 'HTTP/1.1 202 Accepted\r\nx-seen: yes\r\ncontent-length: 9\r\n\r\nx';
  const answered = { status: 202, headers: { 'x-seen': 'yes' }, truncated: true };
  t.match(await against((socket) => socket.end(header), 1_000, true), answered, 'breaks off');
  t.match(await against((socket) => socket.write(header), 200, true), answered, 'does not end in time');
  t.match(await against((socket) => socket.end('HTTP/1.1 202'), 1_000, true), { fault: 'connection' }, 'no header');
  t.match(await against(() => undefined, 200, true), { fault: 'time_out' }, 'no header in time');
});
