import t from 'tap';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';

const lines = (...text: string[]): Buffer => Buffer.from(text.join('\r\n'));

const ALTERNATIVE = lines(
  'Received: from a by b; Tue, 1 Sep 2026 10:00:00 +0000',
  'Received: from c by a; Tue, 1 Sep 2026 09:59:59 +0000',
  'From: =?utf-8?Q?Doe,_J=C3=B6rg?= <joerg@example.org>',
  'To: "Bot, The" <bot@mail.test>, undisclosed:;',
  'Cc: Team: a@example.org, b@example.org;',
  'Reply-To: other@example.org',
  'Subject: =?utf-8?B?R3LDvA==?= =?utf-8?Q?=C3=9Fe?=',
  '\tund mehr',
  'Date: Tue, 1 Sep 2026 12:00:00 +0200 (CEST)',
  'Message-ID: <m1@example.org>',
  'In-Reply-To: <p1@mail.test>',
  'References: <r0@mail.test> (a comment)',
  ' <p1@mail.test>',
  'Content-Type: multipart/alternative; boundary=b',
  '',
  'preamble',
  '--b',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Sch=F6n =',
  'so.',
  '--b  ',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Schön <b>so</b>.</p>',
  '--b--',
);

t.test('reads a mail with two readings of one text', async (t) => {
  const mail = await parseMail(ALTERNATIVE);
  t.same(mail.from, [{ name: 'Doe, Jörg', address: 'joerg@example.org' }]);
  t.same(mail.author, mail.from[0]);
  t.same(mail.to, [{ name: 'Bot, The', address: 'bot@mail.test' }]);
  t.same(
    mail.cc.map(({ address }) => address),
    ['a@example.org', 'b@example.org'],
  );
  t.same(mail.replyTo, [{ name: null, address: 'other@example.org' }]);
  t.equal(mail.subject, 'Grüße und mehr');
  t.equal(mail.messageId, '<m1@example.org>');
  t.equal(mail.inReplyTo, '<p1@mail.test>');
  t.same(mail.references, ['<r0@mail.test>', '<p1@mail.test>']);
  t.equal(mail.date, Date.UTC(2026, 8, 1, 10));
  t.equal(mail.automatic, false);
  t.equal(mail.text, 'Schön so.');
  t.equal(mail.html, '<p>Schön <b>so</b>.</p>');
  t.same(mail.attachments, []);
  t.equal(mail.receivedCount, 2);
  t.same(mail.defects, []);
  t.same(mail.headers[6], { name: 'Subject', value: 'Grüße und mehr' });
});

t.test('a date in a zone that is a name alone counts as UTC, and what is no date is a defect', async (t) => {
  for (const zone of ['CEST', 'JST', 'MET DST', 'A', 'WET (summer)', '+0000']) {
    const mail = await parseMail(lines('From: a@example.org', `Date: Tue, 1 Sep 2026 10:00:00 ${zone}`, '', 'Hi'));
    t.match(mail, { date: Date.UTC(2026, 8, 1, 10), defects: [] }, zone);
  }
  for (const text of ['some day', '27.11.2026 10:00', '10:00 today']) {
    const mail = await parseMail(lines('From: a@example.org', `Date: ${text}`, '', 'Hi'));
    t.match(mail, { date: null, defects: ['malformed Date'] }, text);
  }
});

t.test('makes the text of HTML where there is no other', async (t) => {
  const mail = await parseMail(lines('From: a@b.de', 'Content-Type: text/html', '', '<h1>Hi</h1><p>you &amp; me</p>'));
  t.equal(mail.text, 'Hi\n\nyou & me');
});

t.test('keeps all of a mixed mail, in its order', async (t) => {
  const mail = await parseMail(
    lines(
      'From: a@b.de',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<p>body</p>',
      '--b',
      '',
      'footer <of> a list',
      '--b--',
    ),
  );
  t.equal(mail.text, 'body\nfooter <of> a list');
  t.equal(mail.html, '<p>body</p>\n<pre>footer &lt;of&gt; a list</pre>');
});

t.test('blanks behind a boundary were added on the way', async (t) => {
  const mail = await parseMail(
    lines('Content-Type: multipart/mixed; boundary=b', '', '--b \t', '', 'one', '--b ', '', 'two', '--b-- \t', 'x'),
  );
  t.equal(mail.text, 'one\ntwo');
});

t.test('names attachments so that a file system may hold them', async (t) => {
  const part = (...fields: string[]) => ['--b', ...fields, '', 'x'];
  const mail = await parseMail(
    lines(
      'From: a@b.de',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      ...part('Content-Type: application/pdf; name="a.txt"', 'Content-Disposition: attachment'),
      ...part('Content-Type: application/pdf', 'Content-Disposition: attachment; filename="../../etc/A.txt"'),
      ...part('Content-Type: application/pdf', 'Content-Disposition: attachment; filename="C:\\\\temp\\\\a-2.txt"'),
      ...part('Content-Type: application/x-y', "Content-Disposition: attachment; filename*=utf-8''%e2%82%ac%0d%0a.txt"),
      ...part("Content-Disposition: attachment; filename*0*=utf-8''Pr%C3%BC; filename*1=fung.pdf"),
      ...part('Content-Type: image/png', 'Content-ID: <logo@x>', 'Content-Disposition: inline'),
      ...part('Content-Type: message/rfc822'),
      ...part('Content-Type: garbage', 'Content-Disposition: attachment; filename=".."'),
      '--b--',
    ),
  );
  t.same(
    mail.attachments.map(({ filename }) => filename),
    [
      'a.txt',
      'A-2.txt',
      'a-2-2.txt',
      '€.txt',
      'Prüfung.pdf',
      'attachment-6.png',
      'attachment-7.eml',
      'attachment-8.bin',
    ],
  );
  t.match(mail.attachments[5], { contentId: 'logo@x', inline: true, size: 1, contentType: 'image/png' });
});

t.test('hands attached messages and reports on as they are', async (t) => {
  const inner = 'From: x@y.z\r\nSubject: inner\r\n\r\n--not--\r\nbody\r\n';
  const mail = await parseMail(
    lines(
      'From: a@b.de',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      '',
      'It bounced.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; x',
      '--b',
      'Content-Type: message/rfc822',
      'Content-Disposition: inline',
      '',
      `${inner}`,
      '--b--',
    ),
  );
  t.equal(mail.text, 'It bounced.');
  t.same(
    mail.attachments.map(({ contentType }) => contentType),
    ['message/delivery-status', 'message/rfc822'],
  );
  t.equal(mail.attachments[1]?.content.toString(), inner);
});

t.test('takes the parts of a digest for messages', async (t) => {
  const mail = await parseMail(
    lines(
      'From: a@b.de',
      'Content-Type: multipart/digest; boundary=b',
      '',
      '--b',
      '',
      'From: x@y.z',
      '',
      'hi',
      '--b--',
    ),
  );
  t.match(mail.attachments, [{ contentType: 'message/rfc822', filename: 'attachment-1.eml' }]);
});

t.test('sees who wrote to nobody in particular', async (t) => {
  const automatic = async (field: string) => (await parseMail(lines('From: a@b.de', field, '', 'x'))).automatic;
  t.equal(await automatic('Auto-Submitted: auto-replied'), true);
  t.equal(await automatic('Auto-Submitted: no'), false);
  t.equal(await automatic('Precedence: bulk'), true);
  t.equal(await automatic('Precedence: first-class'), false);
  t.equal(await automatic('Precedence: auto_reply'), true);
  t.equal(await automatic('X-Precedence: auto-reply'), true);
  t.equal(await automatic('X-Autoreply: yes'), true);
  t.equal(await automatic('X-AutoReply-From: ann@b.de'), true);
  t.equal(await automatic('X-Autoresponse: 1'), true);
  t.equal(await automatic('X-Autogenerated: Reply'), true);
  t.equal(await automatic('X-Autogenerated: Redirect'), false, 'what a person wrote is passed on');
  t.equal(await automatic('X-Autoresponder: Will not send another autoreply for 86400 seconds'), true);
  t.equal(await automatic('X-Auto-Response-Suppress: DR, OOF, AutoReply'), false, 'people’s mail has it too');
  t.equal(await automatic('Content-Type: multipart/report; report-type=disposition-notification; boundary=b'), true);
  t.equal(await automatic('List-Id: <l.example.org>'), true);
  t.equal(await automatic('List-Unsubscribe: <mailto:x@y.z>'), true);
});

t.test('guesses the charset of text that names none', async (t) => {
  const latin = Buffer.concat([lines('From: a@b.de', 'Subject: caf\u00e9', '', ''), Buffer.from('caf\xe9', 'latin1')]);
  const mail = await parseMail(latin);
  t.equal(mail.text, 'café');
  t.equal(mail.subject, 'café');
});

t.test('invents no address', async (t) => {
  const from = async (value: string) => (await parseMail(lines(`From: ${value}`, '', 'x'))).from.map((a) => a.address);
  t.same(await from('=?utf-8?Q?=3Cceo=40bank.example=3E?= <eve@evil.example>'), ['eve@evil.example']);
  t.same(await from('"ceo@bank.example" <eve@evil.example>'), ['eve@evil.example']);
  t.same(await from('=?utf-8?B?Y2VvQGJhbmsuZXhhbXBsZQ==?='), []);
  t.same(await from('=?utf-8?Q?a?=@bank.example'), []);
  t.same(await from('a@b.de, c@d.de'), ['a@b.de', 'c@d.de']);
  const twice = await parseMail(lines('From: a@b.de', 'FROM : c@d.de', '', 'x'));
  t.same([twice.author, twice.from.length, twice.defects], [null, 2, ['more than one From']]);
});

t.test('an author with a second address beside it is none; what is quoted, or a comment, is no address', async (t) => {
  const author = async (value: string) => (await parseMail(lines(`From: ${value}`, '', 'x'))).author?.address ?? null;
  for (const value of [
    'A <d@e.test> <a@x.test>',
    '<d@e.test> a@x.test',
    '"Ann <a@x.test> <d@e.test>',
    '<d@e.test> (of <a@x.test>',
    'x (a "b) <a@x.test>") <d@e.test>',
  ]) {
    t.equal(await author(value), null, value);
  }
  for (const value of [
    '"Ann <a@x.test>" <d@e.test>',
    String.raw`"A\" <a@x.test>" <d@e.test>`,
    'Ann (of (us) <a@x.test>) <d@e.test>',
    'a@x.test <d@e.test>',
    '<"d"@e.test>',
    '<@a.test,@b.test:d@e.test>',
  ]) {
    t.match(await author(value), /^"?d"?@e\.test$/, value);
  }
});

t.test('reads the plainest mails the same the short way and the long way', async (t) => {
  const body = 'Gr=C3=BC=C3=9Fe =\r\nund  \r\n=3D mehr=\r\n\r\n.\r\n';
  const long = 'Content-Disposition: inline';
  for (const fields of [
    ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
    ['Content-Type: text/html; charset="UTF-8"', 'Content-Transfer-Encoding: 8bit'],
    ['Content-Type: text/plain; charset=us-ascii'],
    ['X-Nothing: said'],
  ]) {
    const short = await parseMail(lines('From: a@b.de', ...fields, '', body));
    const other = await parseMail(lines('From: a@b.de', ...fields, long, '', body));
    t.same([short.text, short.html], [other.text, other.html], fields.join());
  }
  const { text } = await parseMail(
    lines('From: a@b.de', 'Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable', '', body),
  );
  t.equal(text, 'Grüße und\n= mehr\n.\n');
});
