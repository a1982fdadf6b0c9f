import t from 'tap';
import { formatStsPolicy, formatStsRecord } from '../../../src/domains/mta-sts.ts';
import { parseStsPolicy, readStsId } from '../../../src/net/tls/mta-sts-policy.ts';

t.test('the policy that is published parses, and requires the host', async (t) => {
  const parsed = parseStsPolicy(formatStsPolicy('mx.example.com'));
  t.same(parsed, { kind: 'policy', policy: { mode: 'enforce', mx: ['mx.example.com'], maxAge: 604_800 } });
});

t.test('the id changes with the policy, and only with it', async (t) => {
  const idFor = (hostname: string) => readStsId([formatStsRecord(formatStsPolicy(hostname))]);
  t.match(idFor('mx.example.com'), /^[0-9a-f]{20}$/);
  t.equal(idFor('mx.example.com'), idFor('mx.example.com'));
  t.not(idFor('mx.example.com'), idFor('mx2.example.com'));
});
