import { createSocket } from 'node:dgram';
import { once } from 'node:events';
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
