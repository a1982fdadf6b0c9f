/** Enclosed content and every charset and transfer form are decoded before an agent reads them. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { latin1Mail, partsMail, receive } from '../../harness/smtp/seen-mail.ts';
import { plainMail } from '../../harness/smtp/send-mail.ts';

t.test('mail whose content is enclosed shows it', async (t) => {
  await using instance = await startInstance();
  const inner = (subject: string, text: string): string =>
    `From: Dave <dave@remote.test>\nTo: carol@remote.test\nSubject: ${subject}\nDate: Mon, 16 Nov 2026 08:00:00 +0000\n\n${text}`;
  const attached = await receive(
    instance,
    partsMail('mixed', [`Content-Type: message/rfc822\n\n${inner('Figures', 'Forty-two.')}`]),
  );
  const shown = (subject: string, text: string): string =>
    `From: Dave <dave@remote.test>\nDate: Mon, 16 Nov 2026 08:00:00 +0000\nSubject: ${subject}\nTo: carol@remote.test\n\n${text}`;
  t.equal(attached.text, shown('Figures', 'Forty-two.'));

  const digest = await receive(
    instance,
    partsMail('mixed', [
      'Content-Type: text/plain\n\nTopics: one, two',
      `Content-Type: multipart/digest; boundary=inner\n\n--inner\n\n${inner('One', 'First.')}\n--inner\nContent-Type: message/rfc822\n\n${inner('Two', 'Second.')}\n--inner--`,
    ]),
  );
  t.match(digest.text, 'Topics: one, two');
  t.ok(digest.text.includes(shown('One', 'First.')) && digest.text.includes(shown('Two', 'Second.')));

  for (const name of ['der', 'ber']) {
    const file = readFileSync(new URL(`../../everyday/opaque-signed-${name}.eml`, import.meta.url), 'utf8');
    const signed = await receive(instance, file.replace(/\r?\n/g, '\r\n'));
    t.equal(signed.text.trim(), 'The sealed figures: 42.', name);
    t.match(signed.html, '<p>The sealed figures: 42.</p>');
    t.match(signed.attachments, [{ filename: 'smime.p7m' }]);
  }
  const enveloped = readFileSync(new URL('../../everyday/enveloped.eml', import.meta.url), 'utf8');
  t.match((await receive(instance, enveloped.replace(/\r?\n/g, '\r\n'))).defects, ['encrypted, not opened']);
  const tnef = await receive(
    instance,
    partsMail('mixed', [
      'Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\neJ8+IgAA',
    ]),
  );
  t.match(tnef.defects, ['TNEF (winmail.dat) not opened']);
  t.same(instance.faults, []);
});

t.test('text is decoded and put together again', async (t) => {
  await using instance = await startInstance();
  const type = (value: string): Record<string, string> => ({ 'Content-Type': value });
  const koi8 = Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]).toString('latin1');
  const inMeta = await receive(instance, latin1Mail(type('text/html'), `<meta charset="koi8-r"><p>${koi8}</p>`));
  t.equal(inMeta.text, 'Привет');
  const mislabelled = await receive(
    instance,
    latin1Mail(type('text/plain; charset=utf-8'), 'J\u00f6rg gr\u00fc\u00dft'),
  );
  t.equal(mislabelled.text.trim(), 'Jörg grüßt');

  const subjects: [written: string, read: string][] = [
    ['=?iso-2022-kr?B?GyQpQw4+SDNnDw==?=', '안녕'],
    ['=?ks_c_5601-1987?B?jGOwoQ==?=', '똠가'],
    ['=?hz-gb-2312?Q?~{VPND~}?=', '中文'],
    ['=?utf-7?Q?Fr+APY-sche?=', 'Frösche'],
    ['=?cp850?Q?J=94rg?=', 'Jörg'],
    ['=?unknown-8bit?Q?J=F6rg?=', 'Jörg'],
    ['=?utf-8?Q?J=F6rg?=', 'Jörg'],
  ];
  for (const [written, read] of subjects) {
    t.equal((await receive(instance, plainMail({ headers: { Subject: written } }))).subject, read, written);
  }

  const flowed = await receive(
    instance,
    plainMail({
      headers: type('text/plain; charset=utf-8; format=flowed'),
      text: '>> one \n>> two\n> three \n> four\nfive \nsix',
    }),
  );
  t.equal(flowed.text.trim(), '>> one two\n> three four\nfive six');

  const armoured = await receive(
    instance,
    plainMail({
      text: '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nSigned words.\n- -- \nCarol\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAEB\n-----END PGP SIGNATURE-----',
    }),
  );
  t.equal(armoured.text.trim(), 'Signed words.\n-- \nCarol');

  const uuencoded = await receive(
    instance,
    plainMail({ text: 'See the file.\n\nbegin 644 cat.txt\n#0V%T\n`\nend\n\nCarol' }),
  );
  t.equal(uuencoded.text.trim(), 'See the file.\n\n\nCarol');
  t.match(uuencoded.attachments, [{ filename: 'cat.txt', size: 3 }]);
  const file = await instance.request(
    instance.agents.ann,
    'GET',
    `/v1/messages/${uuencoded.id}/attachments/${uuencoded.attachments[0]?.filename}`,
  );
  t.equal(await file.text(), 'Cat');

  const nul = await receive(
    instance,
    plainMail({
      headers: { ...type('text/plain; charset=utf-8'), 'Content-Transfer-Encoding': 'base64' },
      text: Buffer.from('be\0fore and after').toString('base64'),
    }),
  );
  t.equal(nul.text, 'before and after');
  t.equal((await instance.client(instance.agents.ann).search.search({ q: 'after' })).hits[0]?.message_id, nul.id);
});
