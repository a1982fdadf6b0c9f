import t from 'tap';
import { authenticate } from '../../../../src/mail/auth/authenticate-message.ts';
import { dkimRecord, generateDkimKey } from '../../../../src/mail/auth/dkim-key.ts';
import { type SigningKey, sign } from '../../../../src/mail/auth/dkim-sign.ts';
import { readMessage } from '../../../../src/mail/header/message-header.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { dnsError, resolverOf } from './zone.ts';

const NOW = Date.UTC(2026, 8, 1, 10);
const SESSION = { ip: '192.0.2.10', helo: 'mx.example.org', mailFrom: 'ann@example.org', authservId: 'mail.test' };
const MAIL = Buffer.from(
  'From: Ann <ann@example.org>\r\nTo: bot@mail.test\r\nSubject: Hi\r\n\r\nHello \t there  \r\n\r\n\r\n',
);

const rsa = await generateDkimKey('rsa-sha256');
const ed = await generateDkimKey('ed25519-sha256');
const rsaKey: SigningKey = {
  algorithm: 'rsa-sha256',
  domain: 'example.org',
  selector: 'r',
  privateKey: rsa.privateKey,
};
const edKey: SigningKey = {
  algorithm: 'ed25519-sha256',
  domain: 'example.org',
  selector: 'e',
  privateKey: ed.privateKey,
};
const KEYS = {
  'TXT r._domainkey.example.org': [[dkimRecord({ algorithm: 'rsa-sha256', publicKey: rsa.publicKey })]],
  'TXT e._domainkey.example.org': [[dkimRecord({ algorithm: 'ed25519-sha256', publicKey: ed.publicKey })]],
};
const SPF = { 'TXT example.org': [['v=spf1 ip4:192.0.2.0/24 -all']] };
const REJECT = { 'TXT _dmarc.example.org': [['v=DMARC1; p=reject; sp=quarantine']] };

const check = (raw: Buffer, zone: Parameters<typeof resolverOf>[0], session = {}) =>
  authenticate(readMessage(raw), { ...SESSION, ...session }, resolverOf(zone), NOW);

t.test('what we sign verifies, with either key', async (t) => {
  for (const keys of [[rsaKey], [edKey], [rsaKey, edKey]]) {
    const result = await check(await sign(MAIL, keys, NOW), { ...KEYS, ...REJECT });
    t.match(result, {
      dkim: 'pass',
      spf: 'none',
      dmarc: 'pass',
      arc: 'none',
      fromDomain: 'example.org',
      aligned: true,
    });
    t.equal(result.header.match(/dkim=pass/g)?.length, keys.length);
  }
});

t.test('an unsigned mail has what its address has', async (t) => {
  const result = await check(MAIL, { ...SPF, ...REJECT });
  t.match(result, { spf: 'pass', dkim: 'none', dmarc: 'pass', dmarcPolicy: 'reject', aligned: true });
  const forged = await check(MAIL, { ...SPF, ...REJECT }, { ip: '198.51.100.1' });
  t.match(forged, { spf: 'fail', dkim: 'none', dmarc: 'fail', dmarcPolicy: 'reject', aligned: false });
});

t.test('what was changed on the way fails', async (t) => {
  const signed = (await sign(MAIL, [rsaKey], NOW)).toString();
  const zone = { ...KEYS, ...REJECT };
  const changed = async (from: string | RegExp, to: string) => {
    t.not(signed.replace(from, to), signed);
    return check(Buffer.from(signed.replace(from, to)), zone);
  };
  t.match(await changed('Hello', 'Jello'), { dkim: 'fail', dmarc: 'fail', aligned: false });
  t.match((await changed('Hello', 'Jello')).header, /dkim=fail \(body hash did not verify\)/);
  t.match(await changed('Subject: Hi', 'Subject: Ho'), { dkim: 'fail' });
  t.match(await changed(/^/, 'Subject: first\r\n'), { dkim: 'fail' }, 'a second subject');
  t.match(await changed('To: bot', 'to:  bot'), { dkim: 'pass' }, 'but blanks and case may');
  t.match(await changed('s=r;', 's=gone;'), { dkim: 'fail' }, 'no key');
});

t.test('a key in the zone that is no good', async (t) => {
  const signed = await sign(MAIL, [rsaKey], NOW);
  const record = (text: string) => ({ 'TXT r._domainkey.example.org': [[text]] });
  t.match(await check(signed, record('v=DKIM1; k=rsa; p=')), { dkim: 'fail' }, 'revoked');
  t.match(await check(signed, record(`v=DKIM1; k=rsa; p=${ed.publicKey}`)), { dkim: 'fail' }, 'of another kind');
});

t.test('an expired signature, and one that leaves the body open', async (t) => {
  const signed = (await sign(MAIL, [rsaKey], NOW)).toString();
  t.match(await check(Buffer.from(signed.replace('; h=', '; x=1; h=')), KEYS), { dkim: 'fail' });
  // A signature over the first octets only: whoever adds to the body keeps the pass.
  const { default: mailauth } = await import('mailauth');
  const { signatures } = await mailauth.dkimSign(MAIL, {
    canonicalization: 'relaxed/relaxed',
    signTime: new Date(NOW),
    signingDomain: 'example.org',
    selector: 'r',
    privateKey: rsa.privateKey,
    signatureData: [{ signingDomain: 'example.org', selector: 'r', privateKey: rsa.privateKey, maxBodyLength: 5 }],
  });
  const open = Buffer.concat([Buffer.from(signatures), MAIL]);
  t.match(await check(open, { ...KEYS, ...REJECT }), { dkim: 'policy', dmarc: 'fail' });
});

t.test('a DNS that fails is a temporary error, never a throw and never a fail', async (t) => {
  const signed = await sign(MAIL, [rsaKey], NOW);
  for (const code of ['ETIMEOUT', 'ESERVFAIL', 'EREFUSED']) {
    const result = await authenticate(readMessage(signed), SESSION, async () => Promise.reject(dnsError(code)), NOW);
    t.match(result, { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', dmarcPolicy: null, aligned: false });
  }
  const strange = await authenticate(readMessage(signed), SESSION, () => Promise.reject('no error at all'), NOW);
  t.match(strange, { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' });
  const half = await check(signed, { ...REJECT, 'TXT r._domainkey.example.org': 'ESERVFAIL' });
  t.match(half, { spf: 'none', dkim: 'temperror', dmarc: 'temperror', dmarcPolicy: 'reject' }, 'not refused for good');
  t.match(half.header, /dmarc=temperror/);
});

t.test('no sender keeps the policy of another from being found, or a check from being made', async (t) => {
  const label = Array.from({ length: 5 }, () => 'x'.repeat(60)).join('.');
  const signature = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=${label}; h=from; bh=qhoJ+psZWWwGBFo47vMkZ+rqMzSRnateL1Q1CLX3aAM=; b=AAAA\r\n`;
  const badName = Object.assign(new Error('EBADNAME'), { code: 'EBADNAME' });
  const zone = resolverOf({ ...SPF, ...REJECT });
  const forged = await authenticate(
    readMessage(Buffer.concat([Buffer.from(signature), MAIL])),
    { ...SESSION, ip: '198.51.100.1', mailFrom: 'x@evil.example' },
    (name, type) => (name.includes(label) ? Promise.reject(badName) : zone(name, type)),
    NOW,
  );
  t.match(forged, { dkim: 'fail', dmarc: 'fail', dmarcPolicy: 'reject' }, 'a name that no query can hold is none');

  // Ten lookups of SPF with ten names each, and every signature of an ARC chain, use up what a message may ask.
  const mx = Array.from({ length: 10 }, (_, i) => ({ exchange: `h${i}.evil.example`, priority: i }));
  const chain = Array.from({ length: 50 }, (_, i) => {
    const tags = `i=${i + 1}; a=rsa-sha256; d=evil.example; s=s${i}`;
    return `ARC-Seal: ${tags}; cv=${i ? 'pass' : 'none'}; b=AAAA\r\nARC-Message-Signature: ${tags}m; c=relaxed/relaxed; h=from; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\nARC-Authentication-Results: i=${i + 1}; x; none\r\n`;
  });
  let asked = 0;
  const costly = await authenticate(
    readMessage(Buffer.concat([Buffer.from(chain.reverse().join('')), MAIL])),
    { ...SESSION, mailFrom: 'x@evil.example' },
    async (name, type) => {
      asked += 1;
      if (type === 'TXT' && name === 'evil.example') {
        return [[`v=spf1 ${Array.from({ length: 10 }, (_, i) => `mx:m${i}.evil.example`).join(' ')} -all`]];
      }
      if (type === 'MX') return mx.map(({ exchange, priority }) => ({ exchange: `${name}.${exchange}`, priority }));
      if (type === 'A') return ['203.0.113.1'];
      return zone(name, type);
    },
    NOW,
  );
  t.ok(asked > 100 && asked <= 150 + 8, `${asked} questions`);
  t.match(costly, { dmarc: 'fail', dmarcPolicy: 'reject' });
});

t.test('without a record alignment is by organisation', async (t) => {
  const spf = { 'TXT bounce.example.org': [['v=spf1 +all']], 'TXT evil.example': [['v=spf1 +all']] };
  t.match(await check(MAIL, spf, { mailFrom: 'x@bounce.example.org' }), {
    spf: 'pass',
    dmarc: 'none',
    dmarcPolicy: null,
    aligned: true,
  });
  t.match(await check(MAIL, spf, { mailFrom: 'x@evil.example' }), { spf: 'pass', dmarc: 'none', aligned: false });
  const suffix = { 'TXT b.co.uk': [['v=spf1 +all']] };
  const british = Buffer.from('From: a@a.co.uk\r\n\r\nx');
  t.match(
    await check(british, suffix, { mailFrom: 'x@b.co.uk' }),
    { spf: 'pass', aligned: false },
    'a public suffix is none',
  );
});

t.test('the policy is the one that applies to this From', async (t) => {
  const sub = Buffer.from('From: a@sub.example.org\r\n\r\nx');
  t.match(await check(sub, REJECT), { dmarc: 'fail', dmarcPolicy: 'quarantine', fromDomain: 'sub.example.org' });
  const testing = { 'TXT _dmarc.example.org': [['v=DMARC1; p=reject; t=y']] };
  t.match(await check(MAIL, testing), { dmarc: 'fail', dmarcPolicy: 'quarantine' });
});

t.test('no From, two of them, or two addresses: nobody to judge', async (t) => {
  for (const head of [
    'To: x@y.z',
    'From: a@example.org\r\nFrom: b@example.org',
    'From: a@example.org, b@example.org',
    'From: a@example.org, b@[192.0.2.1]',
  ]) {
    const result = await check(Buffer.from(`${head}\r\n\r\nx`), { ...SPF, ...REJECT });
    t.match(result, { dmarc: 'none', fromDomain: null, dmarcPolicy: null, aligned: false });
  }
});

t.test('judges the address that is shown', async (t) => {
  for (const from of [
    '"a@example.org" <eve@evil.example>',
    'a@example.org, <>',
    '=?utf-8?Q?a=40example.org?= <e@evil.example>',
  ]) {
    const raw = Buffer.from(`From: ${from}\r\n\r\nx`);
    const shown = (await parseMail(raw)).author?.address.split('@')[1];
    t.equal((await check(raw, {})).fromDomain, shown ?? null);
  }
});

t.test('the null sender is judged by its greeting', async (t) => {
  const zone = { 'TXT mx.example.org': [['v=spf1 ip4:192.0.2.10 -all']], ...REJECT };
  const result = await check(MAIL, zone, { mailFrom: '' });
  t.match(result, { spf: 'pass', dmarc: 'pass', aligned: true });
  t.match(result.header, /smtp\.helo=mx\.example\.org/);
});

t.test('the field is one field', async (t) => {
  const session = { helo: 'x\r\nX-Evil: 1 (', mailFrom: '"a\r\nb"@example.org' };
  const { header } = await check(MAIL, SPF, session);
  t.ok(header.endsWith('\r\n'));
  t.equal(header.split(/\r\n(?![ \t])/).length, 2, 'and its end');
  for (const line of header.split('\r\n')) t.ok(line.length <= 998);
});

t.test('more signatures than eight are not looked at', async (t) => {
  let asked = 0;
  const line =
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=SEL; h=from; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\n';
  const raw = Buffer.from(
    `${Array.from({ length: 40 }, (_, i) => line.replace('SEL', `s${i}`)).join('')}From: a@example.org\r\n\r\n`,
  );
  await authenticate(readMessage(raw), SESSION, async (name) => {
    if (name.includes('_domainkey')) asked += 1;
    throw dnsError('ENOTFOUND');
  });
  t.equal(asked, 8);
});

t.test('a header section that would cost much to verify is refused by its reason', async (t) => {
  const [signature = ''] = (await sign(MAIL, [rsaKey], NOW)).toString().split(MAIL.toString());
  const refused = async (fields: string) => {
    const { dkim, header } = await check(Buffer.from(`${signature}${fields}${MAIL}`), KEYS);
    t.equal(dkim, 'permerror');
    return header.replace(/\s+/g, ' ');
  };
  t.match(await refused('X: y\r\n'.repeat(2001)), 'dkim=permerror (header section too long)');
  t.match(await refused(`X: ${'y'.repeat(900)}\r\n`.repeat(150)), 'dkim=permerror (header section too long)');
  t.match(await refused(`X: ${' '.repeat(300)}y\r\n`), 'dkim=permerror (long run of blanks or dots)');
  t.match((await check(Buffer.from(`${signature}${'X: y\r\n'.repeat(500)}${MAIL}`), KEYS)).dkim, 'pass');
});
