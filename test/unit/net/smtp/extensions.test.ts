import t from 'tap';
import { parseExtensions } from '../../../../src/net/smtp/extensions.ts';

t.test('what a host offers is read whatever its capitals', (t) => {
  const { offers, sizeLimit, authMechanisms } = parseExtensions(
    '250-mx.remote.test SIZE HELP\n250-pipelining\n250-Size 1000\n250-AUTH PLAIN login\n250 STARTTLS',
  );
  for (const keyword of ['PIPELINING', 'SIZE', 'AUTH', 'STARTTLS']) t.ok(offers(keyword), keyword);
  t.notOk(offers('HELP'), 'the first line greets');
  t.equal(sizeLimit, 1000);
  t.same(authMechanisms, ['PLAIN', 'LOGIN']);
  t.end();
});

t.test('the AUTH of before RFC 2554 stands beside the proper one', (t) => {
  const { authMechanisms } = parseExtensions('250-mx\n250-AUTH CRAM-MD5\n250 AUTH=LOGIN PLAIN');
  t.same(authMechanisms, ['CRAM-MD5', 'LOGIN', 'PLAIN']);
  t.end();
});

t.test('what is none offers nothing', (t) => {
  for (const reply of ['', '250 mx.remote.test', '250-mx\n250-', '250-mx\n250 \x00\xff', '250-mx\n251 STARTTLS']) {
    const { offers, sizeLimit, authMechanisms } = parseExtensions(reply);
    t.notOk(offers('STARTTLS'), JSON.stringify(reply));
    t.equal(sizeLimit, 0);
    t.same(authMechanisms, []);
  }
  for (const size of ['', ' ', ' 0', ' lots', ' -5']) t.equal(parseExtensions(`250-mx\n250 SIZE${size}`).sizeLimit, 0);
  t.ok(Number.isSafeInteger(parseExtensions(`250-mx\n250 SIZE ${'9'.repeat(400)}`).sizeLimit));
  t.end();
});
