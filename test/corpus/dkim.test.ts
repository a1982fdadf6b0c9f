/** Signed messages of other implementations are verified here, and theirs are signed by us, with their keys. */

import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { authenticate } from '../../src/mail/auth/authenticate-message.ts';
import { sign } from '../../src/mail/auth/dkim-sign.ts';
import { readMessage } from '../../src/mail/header/message-header.ts';
import { withCrlf } from '../../src/mail/mime/crlf.ts';
import { resolverOf } from '../unit/mail/auth/zone.ts';
import { corpusName, corpusPath, messageFiles, missingCorpora } from './corpora.ts';

const SESSION = { ip: '192.0.2.1', helo: 'mx.remote.test', mailFrom: '', authservId: 'mx.box.test' };
/** When the messages of stalwart-mail-auth were new: one of them has expired since. */
const NOVEMBER_2022 = Date.UTC(2022, 10, 8);

type Records = Record<string, string>;

const verify = async (raw: Buffer, records: Records, now = NOVEMBER_2022) => {
  const answers = Object.entries(records).map(([name, text]) => [`TXT ${name}`, [[text]]]);
  const found = await authenticate(readMessage(raw), SESSION, resolverOf(Object.fromEntries(answers)), now);
  return { ...found, words: [...found.header.matchAll(/(?<![\w=-])dkim=(\w+) /g)].map(([, word]) => word) };
};

/** A file of stalwart-mail-auth: `name record` lines, an empty line, the message. */
const recordsAndMessage = (path: string): { records: Records; raw: Buffer } => {
  const text = withCrlf(readFileSync(path)).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const lines = text.slice(0, end).split('\r\n');
  const split = (line: string) => [line.slice(0, line.indexOf(' ')).toLowerCase(), line.slice(line.indexOf(' ') + 1)];
  return { records: Object.fromEntries(lines.map(split)), raw: Buffer.from(text.slice(end + 4), 'latin1') };
};

const dkimpy = (name: string): Buffer => withCrlf(readFileSync(corpusPath('dkimpy', name)));
const dkimpyRecord = (name: string): string => dkimpy(name).toString('latin1').trim();

t.test('stalwart-mail-auth: signatures and chains', { skip: missingCorpora }, async (t) => {
  const expected: Record<string, { words: string[]; arc: string }> = {
    'dkim/001.txt': { words: ['pass', 'pass'], arc: 'none' },
    'dkim/002.txt': { words: ['pass'], arc: 'none' },
    'dkim/003.txt': { words: ['pass', 'pass'], arc: 'none' },
    'dkim/004.txt': { words: ['pass'], arc: 'none' },
    'dkim/005.txt': { words: ['pass'], arc: 'none' },
    'dkim/006.txt': { words: ['pass'], arc: 'none' },
    // A list added its footer: the author's signature no longer fits, the list's two and the chain do.
    'arc/001.txt': { words: ['pass', 'pass', 'fail'], arc: 'pass' },
    'arc/002.txt': { words: ['pass'], arc: 'pass' },
  };
  const files = [...(await messageFiles('stalwart-mail-auth/dkim')), ...(await messageFiles('stalwart-mail-auth/arc'))];
  for (const file of files) {
    const name = corpusName(file).replace('stalwart-mail-auth/', '');
    const { records, raw } = recordsAndMessage(file);
    const { dkim, words, arc } = await verify(raw, records);
    const signatures = expected[name]?.words ?? [];
    t.same(words.slice(0, signatures.length), signatures, `${name}: each signature`);
    t.equal(dkim, 'pass', `${name}: a signature passes`);
    t.equal(arc, expected[name]?.arc, `${name}: the chain`);

    const altered = Buffer.concat([raw, Buffer.from('An added line.\r\n')]);
    t.equal((await verify(altered, records)).dkim, 'fail', `${name}: altered`);
    t.equal((await verify(raw, {})).dkim, 'fail', `${name}: without its key`);
  }
  const { records, raw } = recordsAndMessage(corpusPath('stalwart-mail-auth/dkim/005.txt'));
  t.equal((await verify(raw, records, NOVEMBER_2022 + 30 * 86_400_000)).dkim, 'fail', 'dkim/005.txt: past its x=');
});

t.test('dkimpy: signed messages', { skip: missingCorpora }, async (t) => {
  const football = recordsAndMessage(corpusPath('stalwart-mail-auth/dkim/001.txt')).records;
  const both = await verify(dkimpy('rfc6376.signed.msg'), football);
  t.same(both.words, ['pass', 'pass'], 'rfc6376.signed.msg: Ed25519 and RSA');
  const exim = await verify(dkimpy('ed25519test2.msg'), { 'sed._domainkey.test.ex': dkimpyRecord('eximtest.dns') });
  t.equal(exim.dkim, 'pass', 'ed25519test2.msg: signed by Exim');
  // The keys of these two are not in the set.
  for (const name of ['message.mbox', 'test2.message']) t.equal((await verify(dkimpy(name), {})).dkim, 'fail', name);
});

t.test('dkimpy: its keys sign, its records verify', { skip: missingCorpora }, async (t) => {
  const rsa = { algorithm: 'rsa-sha256', privateKey: readFileSync(corpusPath('dkimpy/test.private'), 'utf8') } as const;
  const place = { domain: 'example.com', selector: 'test' };
  const verifyWith = async (raw: Buffer, record: string) =>
    (await verify(raw, { 'test._domainkey.example.com': dkimpyRecord(record) })).dkim;

  for (const name of ['test.message', 'test_extra.message', 'rfc6376.msg', 'ed25519test.msg']) {
    const signed = await sign(dkimpy(name), [{ ...rsa, ...place }], NOVEMBER_2022);
    t.equal(await verifyWith(signed, 'test.txt'), 'pass', `${name}, RSA`);
    t.equal(await verifyWith(signed, 'test2.txt'), 'pass', `${name}: k= left out is RSA`);
    t.equal(await verifyWith(signed, 'badk.txt'), 'fail', `${name}: an unknown k=`);
    t.equal(await verifyWith(signed, 'badversion.txt'), 'fail', `${name}: a version that is none`);
    t.equal(await verifyWith(signed, 'test_bad.txt'), 'fail', `${name}: a key that is none`);
    t.equal(await verifyWith(signed, 'test_tlsrpt.txt'), 'fail', `${name}: a key for another service`);
  }
  const seed = Buffer.from(dkimpyRecord('ed25519test.key'), 'base64');
  // RFC 8410 section 7: the prefix of a PKCS #8 Ed25519 key.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const privateKey = key.export({ format: 'pem', type: 'pkcs8' }).toString();
  const ed25519 = { algorithm: 'ed25519-sha256', privateKey, ...place } as const;
  const signed = await sign(dkimpy('ed25519test.msg'), [ed25519], NOVEMBER_2022);
  t.equal(await verifyWith(signed, 'ed25519test.dns'), 'pass', 'ed25519test.msg, Ed25519');
  await t.rejects(sign(dkimpy('test_nofrom.message'), [{ ...rsa, ...place }], NOVEMBER_2022), TypeError);
});
