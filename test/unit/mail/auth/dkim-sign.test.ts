import { createPublicKey } from 'node:crypto';
import t from 'tap';
import { authenticate } from '../../../../src/mail/auth/authenticate-message.ts';
import { dkimRecord, generateDkimKey } from '../../../../src/mail/auth/dkim-key.ts';
import { sign } from '../../../../src/mail/auth/dkim-sign.ts';
import { readMessage } from '../../../../src/mail/header/message-header.ts';
import { resolverOf } from './zone.ts';

const NOW = Date.UTC(2026, 8, 1, 10);
const ed = await generateDkimKey('ed25519-sha256');
const rsa = await generateDkimKey('rsa-sha256');
const KEY = { algorithm: 'ed25519-sha256', domain: 'example.org', selector: 's1', privateKey: ed.privateKey } as const;
const RSA = { ...KEY, algorithm: 'rsa-sha256', selector: 'r1', privateKey: rsa.privateKey } as const;
const resolve = resolverOf({
  'TXT s1._domainkey.example.org': [[dkimRecord({ algorithm: KEY.algorithm, publicKey: ed.publicKey })]],
  'TXT r1._domainkey.example.org': [[dkimRecord({ algorithm: RSA.algorithm, publicKey: rsa.publicKey })]],
});
const dkimOf = async (raw: Buffer): Promise<string> =>
  (
    await authenticate(
      readMessage(raw),
      { ip: '192.0.2.1', helo: 'x.test', mailFrom: '', authservId: 'mx.test' },
      resolve,
      NOW,
    )
  ).dkim;

t.test('puts one field per key on top and changes nothing else', async (t) => {
  const raw = Buffer.from('From: a@example.org\r\nSubject: x\r\n\r\nbody\r\n');
  const signed = await sign(raw, [KEY, { ...KEY, selector: 's2' }], NOW);
  t.ok(signed.subarray(-raw.length).equals(raw));
  const head = signed.subarray(0, -raw.length).toString();
  t.match(head, /^DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed\/relaxed; d=example\.org; s=s1;\r\n/);
  t.equal(head.match(/^DKIM-Signature:/gm)?.length, 2);
  t.match(head, 't=1788256800');
  t.match(head.replace(/\s+/g, ''), 'h=From:From:Subject:Subject:Date:To;', 'what may stand once is closed');
  t.equal(await sign(raw, [], NOW), raw);
});

t.test('a relay that puts its own Date and Message-ID leaves the signature whole', async (t) => {
  const raw = Buffer.from(
    'From: a@example.org\r\nDate: Tue, 1 Sep 2026 10:00:00 +0000\r\nMessage-ID: <a@b>\r\n\r\nx\r\n',
  );
  const relayed = (signed: Buffer) =>
    Buffer.from(`${signed}`.replace('10:00:00', '10:00:01').replace('<a@b>', '<1@relay.example>'));
  const signed = await sign(raw, [KEY, RSA], NOW, true);
  t.equal(await dkimOf(relayed(signed)), 'pass');
  t.same(`${signed}`.match(/^DKIM-Signature:.* a=[^;]*/gm), ['DKIM-Signature: v=1; a=rsa-sha256'], 'one signature');
  t.equal(await dkimOf(relayed(await sign(raw, [KEY], NOW))), 'fail', 'nobody else may');
});

t.test('relaxes the body as the verifier does', async (t) => {
  const bodies = [
    '',
    '\r\n',
    '\r\n\r\n',
    'abc',
    'abc  ',
    ' \t x \t\r\n\r\n \r\n\r\n',
    'x\r\n \t',
    'a \t b\r\n\r\nc\r\n\r\n',
    `${'x y  '.repeat(20_000)}\r\n`,
  ];
  for (const body of bodies) {
    const raw = Buffer.from(`from:  a@example.org \r\nSubject: a\r\n\tb  c \r\nX: y\r\n\r\n${body}`);
    t.equal(await dkimOf(await sign(raw, [KEY], NOW)), 'pass', JSON.stringify(body.slice(0, 30)));
  }
  const eightBit = Buffer.from('From: a@example.org\r\nSubject: \xe9\xa0\r\n\r\n\xff\xa0 \r\n', 'latin1');
  t.equal(await dkimOf(await sign(eightBit, [KEY], NOW)), 'pass');
  t.equal(
    await dkimOf(await sign(Buffer.from('From: a@example.org\n\nx\n'), [KEY], NOW)),
    'pass',
    'bare LF goes out as CRLF',
  );
});

t.test('another From breaks it', async (t) => {
  const signed = await sign(Buffer.from('From: a@example.org\r\n\r\nx'), [KEY], NOW);
  t.equal(await dkimOf(Buffer.concat([Buffer.from('From: eve@evil.example\r\n'), signed])), 'fail');
});

t.test('refuses what no verifier would take', async (t) => {
  await t.rejects(sign(Buffer.from('To: a@b.de\r\n\r\nx'), [KEY], NOW), TypeError);
  const raw = Buffer.from('From: a@b.de\r\n\r\nx');
  await t.rejects(sign(raw, [{ ...KEY, selector: 'a; d=x' }], NOW), TypeError);
  await t.rejects(sign(raw, [{ ...KEY, domain: 'x\r\nBcc: y' }], NOW), TypeError);
});

t.test('makes keys in the form that is published', async (t) => {
  t.equal(Buffer.from(ed.publicKey, 'base64').length, 32);
  t.equal(dkimRecord({ algorithm: 'ed25519-sha256', publicKey: 'abc=' }), 'v=DKIM1; k=ed25519; p=abc=');
  const key = createPublicKey({ key: Buffer.from(rsa.publicKey, 'base64'), format: 'der', type: 'spki' });
  t.equal(key.asymmetricKeyDetails?.modulusLength, 2048);
  t.match(dkimRecord({ algorithm: 'rsa-sha256', publicKey: rsa.publicKey }), /^v=DKIM1; k=rsa; p=MII/);
});
