import { once } from 'node:events';
import { createServer } from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import t from 'tap';
import { createTlsAlpn } from '../../../../../src/net/tls/acme/tls-alpn.ts';
import { selfSigned } from '../../../../harness/net/certificate.ts';

/** The first octets that a client sends. */
const helloOf = async (options: tls.ConnectionOptions): Promise<Buffer> => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const client = tls.connect({ host: '127.0.0.1', port, ...options }).on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [net.Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
};

t.test('a client that goes on with no handshake is disconnected', async (t) => {
  const alpn = createTlsAlpn(50);
  await alpn.answer({ name: 'mx.box.test', token: 'token', keyAuthorization: 'token.key' });
  const server = createServer(selfSigned(), (_request, response) => response.end());
  alpn.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  for (const hello of [
    await helloOf({ servername: 'mx.box.test', ALPNProtocols: ['acme-tls/1'] }),
    Buffer.from('\x16'),
  ]) {
    const client = net.connect(port, '127.0.0.1').resume();
    client.write(hello);
    await once(client, 'close');
    t.ok(client.destroyed);
  }
});
