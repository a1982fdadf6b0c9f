import t from 'tap';
import { cidrMatcher, isPrivateAddress } from '../../../../src/net/ip/address-range.ts';
import { linesOf } from '../../../harness/lines.ts';

t.test('addresses that are not the public internet', async (t) => {
  for (const ip of [
    ...linesOf`
    0.0.0.0
    10.1.2.3
    100.64.0.1
    127.0.0.1
    169.254.169.254
    172.31.255.255
    192.168.0.1
    192.0.2.1
    198.18.0.1
    224.0.0.1
    240.0.0.1
    255.255.255.255
    ::
    ::1
    fe80::1
    fe80::1%eth0
    fd00::1
    fec0::1
    ff02::1
    2001:db8::1
    3fff::1
    2001::1
    100::1
    4000::1
    ::ffff:127.0.0.1
    ::ffff:7f00:1
    ::127.0.0.1
    ::ffff:0:10.0.0.1
    64:ff9b::10.0.0.1
    64:ff9b:1::8.8.8.8
    2002:7f00:1::
    2002:c0a8:1::1
    localhost
    127.1
    0x7f.0.0.1
    2130706433
  `,
    '',
  ]) {
    t.ok(isPrivateAddress(ip), ip);
  }
});

t.test('addresses that are', async (t) => {
  for (const ip of linesOf`
    8.8.8.8
    172.32.0.1
    100.128.0.1
    2a00:1450:4001::1
    2606:4700::1111
    ::ffff:8.8.8.8
    64:ff9b::8.8.8.8
    2002:808:808::1
  `) {
    t.notOk(isPrivateAddress(ip), ip);
  }
});

t.test('a list of networks', async (t) => {
  const matches = cidrMatcher(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1/128']);
  for (const ip of ['10.255.0.1', '192.0.2.7', '2001:db8:1::1', '::1', '::ffff:10.0.0.1']) t.ok(matches(ip), ip);
  for (const ip of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2', '::ffff:11.0.0.1', 'x', ''])
    t.notOk(matches(ip), ip);
  t.notOk(cidrMatcher([])('10.0.0.1'));
  t.throws(() => cidrMatcher(['10.0.0.0/8', 'example.com']), TypeError);
  t.throws(() => cidrMatcher(['10.0.0.0/33']));
});
