import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { connect } from 'node:tls';
import t from 'tap';
import { errorText } from '../../../../src/net/tls/error-text.ts';
import { startHttpReceiver } from '../../../harness/http/http-receiver.ts';

t.test("OpenSSL's errors are told by their reason, all others as they are", async (t) => {
  const server = createServer((socket) => socket.on('error', () => undefined).end('220 This is no TLS\r\n'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [error] = (await once(client, 'error').catch((cause: unknown) => [cause])) as [Error];
  server.close();
  t.match(error.message, /:SSL routines:/);
  t.match(errorText(error), /^TLS: (wrong version number|packet length too long)$/);
  t.equal(errorText(new Error('connect ECONNREFUSED 127.0.0.1:1')), 'connect ECONNREFUSED 127.0.0.1:1');
  t.equal(errorText('closed'), 'closed');
});

t.test("Node's advice for who starts it is left out of a certificate's error", async (t) => {
  await using server = await startHttpReceiver();
  const client = connect({ port: server.port, host: '127.0.0.1' });
  const [error] = (await once(client, 'error').catch((cause: unknown) => [cause])) as [Error];
  t.match(error.message, /use-system-ca/);
  t.equal(errorText(error), 'self-signed certificate');
});
