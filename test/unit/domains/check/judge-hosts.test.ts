import t from 'tap';
import { isWildcardAnswer, judgeFailure, judgeMissing, NO_WILDCARD } from '../../../../src/domains/check/finding.ts';
import { judgeApexAlias, judgeCname, judgeMx } from '../../../../src/domains/check/judge-hosts.ts';

const facts = { domain: 'x.test', hostname: 'mx.box.test', aliases: ['mail.x.test'], doubled: null };
const mx = (exchanges: string[], aliases: string[] = []) =>
  judgeMx({ kind: 'answer', values: exchanges.map((exchange) => ({ exchange, priority: 10 })), aliases }, facts);

t.test('MX', async (t) => {
  t.match(mx(['mx.box.test']), { status: 'found', found: ['10 mx.box.test'], hint: null });
  t.match(mx(['MX.Box.test.']), { status: 'found', hint: null }, 'case and a trailing dot make no difference');
  t.match(mx([]), { status: 'missing', hint: /Publish this MX record at x\.test/ });
  t.match(mx(['mx.box.test', 'mx.old.test']), { status: 'mismatch', hint: /Mail also goes to mx\.old\.test/ });
  t.match(mx(['mx.old.test']), { status: 'mismatch', hint: /Mail goes to mx\.old\.test/ });
  t.match(mx(['mail.x.test']), { status: 'mismatch', hint: /an alias \(CNAME\) of mx\.box\.test/ });
  t.match(mx(['mx.box.test.x.test']), { status: 'mismatch', hint: /Enter mx\.box\.test\. with the dot/ });
  t.match(mx(['']), { status: 'mismatch', found: ['10 .'], hint: /takes no mail/ });
  t.match(mx(['mx.box.test'], ['y.test']), { status: 'mismatch', hint: /A CNAME at x\.test leads to y\.test/ });
  const failed = { kind: 'failed', reason: 'SERVFAIL', isBogus: false, isResponse: true } as const;
  t.match(judgeMx(failed, facts), { status: 'unchecked', hint: /SERVFAIL/ });
});

t.test('CNAME', async (t) => {
  const cname = (values: string[]) =>
    judgeCname('mta-sts.x.test', { kind: 'answer', values, aliases: [] }, 'mx.box.test');
  t.match(cname(['mx.box.test.']), { status: 'found' });
  t.match(cname(['mx.box.test.x.test']), { status: 'mismatch', hint: /Enter mx\.box\.test\. with the dot/ });
  t.match(cname(['y.test']), { status: 'mismatch', hint: /change it to mx\.box\.test/ });
  t.match(cname([]), { status: 'missing' });
  t.match(judgeApexAlias('x.test', 'y.test', []), { found: ['CNAME y.test'] });
});

t.test('failures and absences in words', async (t) => {
  const failed = { kind: 'failed', reason: 'SERVFAIL', isResponse: true } as const;
  t.match(judgeFailure('x.test', { ...failed, isBogus: true }), {
    status: 'unchecked',
    hint: /DNSSEC of x\.test is broken/,
  });
  t.match(judgeMissing('DKIM record', 'a.x.test', 'a.x.test.x.test', null), {
    status: 'missing',
    hint: /stands at a\.x\.test\.x\.test: the DNS provider appends the domain/,
  });
  t.match(judgeMissing('DKIM record', 'a.x.test', null, 'y.test'), { status: 'mismatch', hint: /Remove the CNAME/ });
});

t.test('an answer of the wildcard', async (t) => {
  const answer = (values: string[], aliases: string[] = []) => ({ kind: 'answer', values, aliases }) as const;
  t.ok(isWildcardAnswer(answer(['a']), { values: ['a', 'b'], aliases: [] }));
  t.notOk(isWildcardAnswer(answer(['a', 'c']), { values: ['a', 'b'], aliases: [] }));
  t.ok(isWildcardAnswer(answer([], ['w.test']), { values: [], aliases: ['w.test'] }));
  t.notOk(isWildcardAnswer(answer([]), NO_WILDCARD));
  t.notOk(isWildcardAnswer(answer(['a']), NO_WILDCARD));
});
