import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { listenUdp } from '../../../../src/transports/dns/udp-listener.ts';

t.test('an answer comes from the address that was asked', async (t) => {
  const echo = async (packet: Buffer) => packet;
  for (const host of ['0.0.0.0', '::', '127.0.0.2']) {
    const listener = await listenUdp(echo, { host, port: 0, ipv6Only: false }, ['127.0.0.2', '192.0.2.1', 'fe80::1']);
    t.teardown(listener.close);
    const client = createSocket('udp4');
    t.teardown(() => client.close());
    // Connected, it is given packets of this address alone.
    client.connect(listener.port, '127.0.0.2');
    await once(client, 'connect');
    client.send('question');
    const [answer] = await once(client, 'message');
    t.equal(String(answer), 'question', host);
  }
});

t.test('an answer that is found after the stop ends nothing', async (t) => {
  const rejected: unknown[] = [];
  const note = (error: unknown) => void rejected.push(error);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));
  const [asked, found] = [Promise.withResolvers<void>(), Promise.withResolvers<Buffer>()];
  const respond = () => {
    asked.resolve();
    return found.promise;
  };
  const listener = await listenUdp(respond, { host: '127.0.0.1', port: 0, ipv6Only: false }, []);
  const client = createSocket('udp4');
  t.teardown(() => client.close());
  client.send('question', listener.port, '127.0.0.1');
  await asked.promise;
  await listener.close();
  found.resolve(Buffer.from('answer'));
  await nextTurn();
  t.same(rejected, []);
});
