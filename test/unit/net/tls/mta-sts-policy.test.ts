import t from 'tap';
import { allowsHost, MAX_POLICY_BYTES, parseStsPolicy, readStsId } from '../../../../src/net/tls/mta-sts-policy.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

t.test('the record, RFC 8461 section 3.1', async (t) => {
  t.equal(readStsId(['v=STSv1; id=20160831085700Z;']), '20160831085700Z');
  t.equal(readStsId(['v=spf1 -all', 'v=STSv1;id=a ; x=y']), 'a', 'records of something else are passed over');
  t.equal(readStsId([]), null);
  t.equal(readStsId(['v=STSv1; id=a', 'v=STSv1; id=b']), null, 'two are none');
  t.equal(readStsId(['v=STSv1;']), null);
  t.equal(readStsId(['v=STSv1; id=a; id=b']), null);
  t.equal(readStsId(['v=STSv1; id=a-b']), null);
  t.equal(readStsId([`v=STSv1; id=${'a'.repeat(33)}`]), null);
  t.equal(readStsId(['v=STSv2; id=a']), null);
});

const lines = (...given: string[]): string => given.map((line) => `${line}\r\n`).join('');

t.test('the policy, RFC 8461 section 3.2', async (t) => {
  const text = lines('version: STSv1', 'mode: enforce', 'mx: MX1.example.com', 'mx: *.example.net', 'max_age: 604800');
  const policy = { mode: 'enforce', mx: ['mx1.example.com', '*.example.net'], maxAge: 604_800 };
  t.same(parseStsPolicy(text), { kind: 'policy', policy });
  t.same(
    parseStsPolicy(text.replaceAll('\r\n', '\n').trimEnd()),
    { kind: 'policy', policy },
    'LF alone, and none at the end',
  );
  t.same(
    parseStsPolicy(`${text}mode: none\r\nfoo: bar\r\nnonsense\r\n`),
    { kind: 'policy', policy },
    'the first of two counts',
  );
  t.same(parseStsPolicy(lines('version: STSv1', 'mode: none', 'max_age: 0')), {
    kind: 'policy',
    policy: { mode: 'none', mx: [], maxAge: 0 },
  });
  const longest = parseStsPolicy(lines('version: STSv1', 'mode: testing', 'mx: a.b', 'max_age: 9999999999'));
  t.match(longest, { policy: { maxAge: 31_557_600 } });
});

t.test('what is no policy', async (t) => {
  const wrong = {
    empty: '',
    'another version': lines('version: STSv2', 'mode: enforce', 'mx: a.b', 'max_age: 1'),
    'no mode': lines('version: STSv1', 'mx: a.b', 'max_age: 1'),
    'a mode that is none': lines('version: STSv1', 'mode: strict', 'mx: a.b', 'max_age: 1'),
    'no age': lines('version: STSv1', 'mode: enforce', 'mx: a.b'),
    'an age that is none': lines('version: STSv1', 'mode: enforce', 'mx: a.b', 'max_age: -1'),
    'no hosts': lines('version: STSv1', 'mode: enforce', 'max_age: 1'),
    'a wildcard within': lines('version: STSv1', 'mode: enforce', 'mx: a.*.b', 'max_age: 1'),
    'too many hosts': lines('version: STSv1', 'mode: enforce', 'max_age: 1', ...Array(501).fill('mx: a.b')),
    'a page': '<html>version: STSv1</html>',
  };
  for (const [what, text] of Object.entries(wrong))
    t.match(parseStsPolicy(text), { kind: 'invalid', reason: /^The policy/ }, what);
});

t.test('blanks, as many as there may be', async (t) => {
  const blanks = ' '.repeat(MAX_POLICY_BYTES);
  const before = processorMs();
  t.match(parseStsPolicy(lines('version: STSv1', `mx:${blanks}\u2028`)), { kind: 'invalid' });
  t.match(parseStsPolicy(lines('version: STSv1', `mx: a${blanks}b`)), { kind: 'invalid' });
  t.equal(readStsId([`v=STSv1; id=a${blanks}\n; id=b`]), null);
  t.ok(processorMs() - before < 500, 'they take no hours');
});

t.test('hosts, RFC 8461 section 4.1', async (t) => {
  const policy = { mx: ['mx.example.com', '*.example.net'] };
  t.ok(allowsHost(policy, 'MX.example.com.'));
  t.ok(allowsHost(policy, 'a.example.net'));
  t.notOk(allowsHost(policy, 'example.net'));
  t.notOk(allowsHost(policy, 'a.b.example.net'), 'a wildcard is one label');
  t.notOk(allowsHost(policy, '.example.net'));
  t.notOk(allowsHost(policy, 'mx2.example.com'));
  t.notOk(allowsHost(policy, 'evilexample.net'));
});
