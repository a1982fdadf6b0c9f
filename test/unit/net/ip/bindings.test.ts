import t from 'tap';
import { isServed, toBindings } from '../../../../src/net/ip/bindings.ts';

const ANY_6 = { host: '::', port: 443 };
const ANY_4 = { host: '0.0.0.0', port: 443 };

t.test('[::] serves both families, and IPv6 alone beside an IPv4 address of its port', async (t) => {
  t.same(toBindings([ANY_6], true), [{ ...ANY_6, ipv6Only: false }]);
  t.same(toBindings([ANY_4, ANY_6], true), [
    { ...ANY_4, ipv6Only: false },
    { ...ANY_6, ipv6Only: true },
  ]);
  const other = { host: '127.0.0.1', port: 80 };
  t.same(toBindings([other, ANY_6], true)[1], { ...ANY_6, ipv6Only: false }, 'of another port');
});

t.test('without IPv6 in the kernel the same config serves IPv4', async (t) => {
  t.same(toBindings([ANY_6], false), [{ ...ANY_4, ipv6Only: false }]);
  t.same(toBindings([ANY_4, ANY_6], false), [{ ...ANY_4, ipv6Only: false }]);
});

t.test('an address is served by a listener of its family', async (t) => {
  const [four, six] = ['192.0.2.1', '2001:db8::1'];
  t.same([isServed(four, [ANY_4]), isServed(six, [ANY_4])], [true, false]);
  t.same([isServed(four, [ANY_6]), isServed(six, [ANY_6])], [true, true]);
  t.same([isServed(four, [ANY_4, ANY_6]), isServed(six, [ANY_4, ANY_6])], [true, true]);
  t.same([isServed(six, [{ host: six, port: 25 }]), isServed(four, [{ host: six, port: 25 }])], [true, false]);
});
