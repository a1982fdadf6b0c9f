import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import tls from 'node:tls';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { tlsByFiles } from '../../harness/net/certificate.ts';

/** Writes and resets while this process waits for it, so that the daemon accepts a connection that has ended. */
const LEAVE_FIRST = `
  const [port, request] = process.argv.slice(1);
  const socket = require('node:net').connect(Number(port), '127.0.0.1');
  socket.write(request, () => socket.resetAndDestroy());
`;

t.test('a client that leaves before it is accepted is no fault', async (t) => {
  await using instance = await startInstance();
  const port = `${instance.config.http.listen[0]?.port}`;
  for (const path of ['/v1/identity', '/docs/mcp', '/mcp']) {
    const request = `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${instance.agents.ann.key}\r\n\r\n`;
    execFileSync(process.execPath, ['-e', LEAVE_FIRST, port, request]);
    t.equal((await instance.request(null, 'GET', '/healthz')).status, 200);
  }
  t.same(instance.faults, []);
});

t.test('a client that leaves before its registration by OAuth is answered is no fault', async (t) => {
  await using instance = await startInstance({ tls: tlsByFiles(t) });
  const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/back'], client_name: 'Left' });
  const request = `POST /oauth/register HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  for (let turns = 0; turns < 40; turns += 2) {
    const socket = net.connect(Number(instance.config.http.listen[0]?.port), '127.0.0.1');
    const secured = tls.connect({ socket, rejectUnauthorized: false });
    secured.on('error', () => undefined);
    await once(secured, 'secureConnect');
    secured.write(request);
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  const port = instance.config.http.private_listen?.port;
  t.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  t.same(instance.faults, []);
});
