import t from 'tap';
import { clientNetwork, siteOf } from '../../../../src/net/ip/client-network.ts';

t.test('a client is counted by its address or /64, its site by its address or /48', async (t) => {
  const cases: [ip: string, network: string, site: string][] = [
    ['192.0.2.7', '192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.7'],
    ['2001:db8:5:1::9', '2001:db8:5:1::/64', '2001:db8:5::/48'],
    ['2001:db8:5:2:ffff::', '2001:db8:5:2::/64', '2001:db8:5::/48'],
    ['192.0.2.7:50312', '192.0.2.7', '192.0.2.7'],
    ['[2001:db8:5:1::9]:50312', '2001:db8:5:1::/64', '2001:db8:5::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
  ];
  for (const [ip, network, site] of cases) {
    t.equal(clientNetwork(ip), network, ip);
    t.equal(siteOf(network), site, network);
  }
});
