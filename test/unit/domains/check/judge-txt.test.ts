import t from 'tap';
import {
  judgeDkim,
  judgeDmarc,
  judgeOwnership,
  judgePolicyText,
  judgeSpf,
} from '../../../../src/domains/check/judge-txt.ts';
import { parseReferences, withMechanisms } from '../../../../src/domains/check/spf-text.ts';

const HOST = 'mx.box.test';
const facts = {
  hostname: HOST,
  addresses: ['192.0.2.1'],
  results: ['pass'],
  emptyTerms: [] as string[],
  wantedTerms: [`a:${HOST}`],
};
const spf = (values: string[], more: Partial<typeof facts> = {}) => judgeSpf(values, { ...facts, ...more });

t.test('SPF', async (t) => {
  t.match(spf(['google-site-verification=x', `v=spf1 a:${HOST} -all`]), { status: 'found', hint: null });
  t.match(spf(['v=spf1 include:_spf.x.test ~all']), { status: 'found', hint: null }, 'whatever it says, it permits');
  t.match(spf(['V=SPF1 +all']), { status: 'found', hint: /change `\+all` to `-all`/ });
  t.equal(spf(['google-site-verification=x']), null, 'other TXT records are none of its business');
  t.match(spf([`"v=spf1 a:${HOST} -all"`]), { status: 'mismatch', hint: /Remove the quotes/ });
  t.match(spf(['v=spf1 include:a.test -all', 'v=spf1 mx ~all']), {
    status: 'mismatch',
    hint: `There are 2 SPF records, and with more than one all of them are void (RFC 7208 section 4.5). Keep a single one: v=spf1 include:a.test mx a:${HOST} -all`,
  });
  t.match(spf(['v=spf1 include:a.test -all'], { results: ['fail'] }), {
    status: 'mismatch',
    hint: /Insert a:mx\.box\.test before its last term, so that it reads: v=spf1 include:a\.test a:mx\.box\.test -all$/,
  });
  t.match(spf(['v=spf1 -all'], { results: ['pass', 'fail'] }), { status: 'mismatch' }, 'every address has to pass');
  t.match(spf(['v=spf1 include:x -all'], { results: ['permerror'] }), { hint: /more than 10 look-ups/ });
  const empty = { results: ['permerror'], emptyTerms: ['include:x.test'] };
  t.match(spf(['v=spf1 include:x.test mx ~all'], empty), {
    status: 'mismatch',
    hint: /its term include:x\.test names a domain without an SPF record\. .* reads: v=spf1 mx a:mx\.box\.test ~all$/,
  });
  t.match(spf(['v=spf1 include:x -all'], { results: ['temperror'] }), { hint: /could not be looked up in time/ });
  t.match(spf([`v=spf1 a:${HOST} -all`], { addresses: [], results: [] }), { status: 'mismatch', hint: /operator/ });
});

t.test('SPF has what relays for the host', async (t) => {
  const relayed = { wantedTerms: [`a:${HOST}`, 'include:spf.relay.test'] };
  t.match(spf([`v=spf1 a:${HOST} +INCLUDE:spf.relay.test -all`], relayed), { status: 'found' });
  t.match(spf([`v=spf1 a:${HOST} -all`], relayed), {
    status: 'mismatch',
    hint: /Insert include:spf\.relay\.test before .* reads: v=spf1 a:mx\.box\.test include:spf\.relay\.test -all$/,
  });
  t.match(
    spf([`v=spf1 a:${HOST} -all include:spf.relay.test`], relayed),
    { status: 'mismatch' },
    'behind the last term',
  );
});

t.test('a mechanism is inserted where it has an effect', async (t) => {
  t.equal(withMechanisms('v=spf1 mx', ['a:h']), 'v=spf1 mx a:h');
  t.equal(withMechanisms('v=spf1  mx   ?ALL exp=x', ['a:h']), 'v=spf1 mx a:h ?ALL exp=x');
  t.equal(withMechanisms('v=spf1 mx redirect=x.test', ['a:h']), 'v=spf1 mx a:h redirect=x.test');
  t.equal(withMechanisms('v=spf1 a:h -all', ['a:h']), 'v=spf1 a:h -all');
});

t.test('DMARC', async (t) => {
  t.match(judgeDmarc(['v=DMARC1; p=reject']), { status: 'found', hint: null });
  t.match(judgeDmarc(['v=DMARC1;p=quarantine;rua=mailto:x@y.test']), { status: 'found', hint: null });
  t.match(judgeDmarc(['v=DMARC1; p=none']), { status: 'found', hint: /p=reject/ });
  t.match(judgeDmarc(['v=DMARC1; p=rejct']), { status: 'mismatch', hint: /no valid policy/ });
  t.match(judgeDmarc(['v=DMARC1']), { status: 'mismatch', hint: /no valid policy/ });
  t.match(judgeDmarc(['v=DMARC1; p=reject', 'v=DMARC1; p=none']), { status: 'mismatch', hint: /2 DMARC records/ });
  t.match(judgeDmarc(['"v=DMARC1; p=reject"']), { status: 'mismatch', hint: /quotes/ });
  t.match(judgeDmarc(['p=reject']), { status: 'mismatch', hint: /v=DMARC1/ });
});

const KEY = 'A'.repeat(392);
const wanted = `v=DKIM1; k=rsa; p=${KEY}`;
const dkim = (values: string[], verifies = false) => judgeDkim(values, { wanted, verifies });

t.test('DKIM', async (t) => {
  t.match(dkim([wanted], true), { status: 'found', hint: null });
  t.match(dkim([`v=DKIM1; k=rsa; p=${KEY.slice(0, 237)}`]), {
    status: 'mismatch',
    hint: /cut off after 237 of 392 characters/,
  });
  t.match(dkim([`"v=DKIM1; k=rsa; " "p=${KEY}"`]), { status: 'mismatch', hint: /quotes/ });
  t.match(dkim([wanted.replace(/;/g, '\\;')]), { status: 'mismatch', hint: /backslashes/ });
  t.match(dkim([`v=DKIM1; k=rsa; p=${'B'.repeat(392)}`]), { status: 'mismatch', hint: /another key/ });
  t.match(dkim(['v=DKIM1; p=']), { hint: /revokes/ });
  t.match(dkim([KEY]), { hint: /has no key/ });
  t.match(dkim([wanted.replace('k=rsa', 'k=rsa; h=sha1')]), { hint: /other tags/ });
  t.match(dkim([wanted, wanted], true), { status: 'mismatch', hint: /2 TXT records/ });
});

t.test('ownership', async (t) => {
  const own = 'postroom-domain=abc';
  t.match(judgeOwnership(['other', ` ${own} `], own), { status: 'found', found: [own], hint: null });
  t.match(judgeOwnership(['postroom-domain=xyz'], own), { status: 'mismatch', hint: /another workspace/ });
  t.match(judgeOwnership([`"${own}"`], own), { status: 'mismatch', hint: /quotes/ });
  t.match(judgeOwnership(['abc'], own), { status: 'mismatch', hint: /holds no token/ });
});

t.test('references of an SPF record', async (t) => {
  t.same(parseReferences('v=spf1 a include:a.test ?INCLUDE:b.test include:%{d}.c.test redirect=d.test'), [
    { term: 'include:a.test', domain: 'a.test' },
    { term: '?INCLUDE:b.test', domain: 'b.test' },
    { term: 'redirect=d.test', domain: 'd.test' },
  ]);
});

t.test('MTA-STS and TLS-RPT', async (t) => {
  const sts = 'v=STSv1; id=20260101;';
  t.match(judgePolicyText(['v=STSv1;id=20260101'], 'STSv1', sts), { status: 'found' });
  t.match(judgePolicyText(['v=STSv1; id=1;'], 'STSv1', sts), { status: 'mismatch', hint: /id is that of another/ });
  t.match(judgePolicyText([sts, sts], 'STSv1', sts), { status: 'mismatch', hint: /single/ });
  t.match(judgePolicyText(['x'], 'STSv1', sts), { status: 'mismatch' });
  t.match(judgePolicyText(['v=TLSRPTv1; rua=mailto:tls@x.test'], 'TLSRPTv1', ''), { status: 'found' });
  t.match(judgePolicyText(['v=TLSRPTv1'], 'TLSRPTv1', ''), { status: 'mismatch', hint: /rua=/ });
});

t.test('what is shown of foreign values is bounded and printable', async (t) => {
  const { found, hint } = dkim(Array.from({ length: 50 }, () => `\u001b[2J\u202e${'x'.repeat(5_000)}`));
  t.equal(found.length, 8);
  t.ok(found.every((value) => value.length < 700 && /^[\x20-\x7e]*$/.test(value)));
  t.ok((hint ?? '').length < 1_300);
  const long = spf([`v=spf1 ${'include:a.test '.repeat(500)}-all`], { results: ['fail'] });
  t.ok((long?.hint ?? '').length < 1_300);
});
