import t from 'tap';
import type { Address, NamedAddress } from '../../../../src/kernel/address.ts';
import { compose, type Draft } from '../../../../src/mail/compose/compose-message.ts';
import { renderMarkdown } from '../../../../src/mail/compose/render-markdown.ts';
import { readHtml } from '../../../../src/mail/html/read-html.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { toDataBody } from '../../../../src/net/smtp/data-body.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const named = (address: string, name: string | null = null): NamedAddress => ({ name, address: address as Address });
const DRAFT: Draft = {
  from: named('ann@example.org', 'Ann'),
  to: [named('bob@mail.test', 'Böb, B.')],
  cc: [named('c@mail.test')],
  subject: 'Grüße aus Köln',
  body: '# Hi\n\nline *one*\nline two\n\n.\n<script>x</script> https://example.com/a?b=c',
  date: Date.UTC(2026, 8, 1, 10),
  messageId: '<m1@example.org>',
  attachments: [],
};

t.test('is read back as it was meant', async (t) => {
  const raw = await compose({ ...DRAFT, inReplyTo: '<p@x.y>', references: ['<o@x.y>', '<p@x.y>'] });
  const mail = await parseMail(raw);
  t.match(mail, {
    from: [DRAFT.from],
    to: DRAFT.to,
    cc: DRAFT.cc,
    subject: DRAFT.subject,
    messageId: '<m1@example.org>',
    inReplyTo: '<p@x.y>',
    references: ['<o@x.y>', '<p@x.y>'],
    date: DRAFT.date,
    text: DRAFT.body,
    defects: [],
  });
  t.match(mail.html, '<h1>Hi</h1>');
  t.match(mail.html, 'line <em>one</em><br>');
  t.match(mail.html, '&lt;script&gt;');
  t.match(mail.html, '<a href="https://example.com/a?b=c">');
});

t.test('is 7-bit with CRLF and short lines, and says nothing of its maker', async (t) => {
  const raw = await compose({ ...DRAFT, body: `日本語 ${'ü'.repeat(3000)}\r\nx\ry\nz\0` });
  t.notOk(raw.some((octet) => octet > 127 || octet === 0));
  const text = raw.toString();
  t.notMatch(text, /(?<!\r)\n|\r(?!\n)/);
  t.notMatch(text, /^(?:X-Mailer|User-Agent|Bcc):/im);
  for (const line of text.split('\r\n')) t.ok(line.length <= 998);
  t.match((await parseMail(raw)).text, `日本語 ${'ü'.repeat(3000)}\nx\ny\nz`);
});

const HEADER = 'cc content-type date from message-id mime-version reply-to subject to'.split(' ');

t.test('what is written as an encoded word is shown as it is written', async (t) => {
  const hidden = ['=?utf-8?B?UGF5IG5vdw==?=', 'é =?utf-8?q?Pay?=', '=?us-ascii*en?q?x?= =?utf-8?q?y?=', 'a=?b'];
  for (const text of hidden) {
    const names = { to: [named('bob@mail.test', text), named('eve@mail.test')], cc: [named('c@mail.test', text)] };
    const raw = await compose({
      ...{ ...DRAFT, ...names, from: named('ann@example.org', text), replyTo: [named('d@mail.test', text)] },
      subject: `Re: ${text}`,
    });
    const mail = await parseMail(raw);
    t.match(mail, { from: [{ name: text }], ...names, replyTo: [{ name: text }], subject: `Re: ${text}` }, text);
    t.same(mail.headers.map(({ name }) => name.toLowerCase()).toSorted(), HEADER, text);
    const header = raw.toString().split('\r\n\r\n', 1)[0] ?? '';
    for (const word of text.match(/=\?\S+\?=/g) ?? []) t.notMatch(header, word, 'not as it is written');
    for (const line of header.split('\r\n')) t.ok(line.length <= 998);
  }
});

t.test('no value becomes a field', async (t) => {
  const evil = 'a\r\nBcc: eve@evil.example\r\n\r\nbody\0';
  const raw = await compose({
    ...DRAFT,
    from: named('ann@example.org', evil),
    to: [named('bob@mail.test', evil)],
    subject: evil,
    references: [evil, '<ok@x.y>'],
    headers: [{ name: 'X-Note', value: evil }],
    attachments: [{ filename: evil, contentType: `text/plain; x=${evil}`, content: Buffer.from('x') }],
  });
  const mail = await parseMail(raw);
  t.same(mail.headers.map(({ name }) => name.toLowerCase()).toSorted(), [
    'cc',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'references',
    'subject',
    'to',
    'x-note',
  ]);
  t.same(mail.references, ['<ok@x.y>']);
  t.equal(mail.attachments.length, 1);
  t.equal(mail.attachments[0]?.contentType, 'application/octet-stream');
  await t.rejects(compose({ ...DRAFT, messageId: '<a@b>\r\nX: y' }), TypeError);
  await t.rejects(compose({ ...DRAFT, headers: [{ name: 'X: y\r\nZ', value: '' }] }), TypeError);
  await t.rejects(compose({ ...DRAFT, headers: [{ name: 'Bcc', value: 'x@y.z' }] }), TypeError);
  await t.rejects(compose({ ...DRAFT, to: [named('"a<b"@mail.test')] }), { code: 'invalid_email' });
});

t.test('attachments come through, a message unaltered', async (t) => {
  const inner = Buffer.from('From: x@y.z\r\nSubject: inn\xe9r \r\n\r\nhello  \r\n\r\nworld', 'latin1');
  const binary = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
  const names = ['Prüfung 日本 "1".pdf', 'inner.eml', '../../x.bin', `${'long '.repeat(30)}.txt`];
  const raw = await compose({
    ...DRAFT,
    attachments: [
      { filename: names[0] ?? '', contentType: 'application/pdf', content: binary },
      { filename: names[1] ?? '', contentType: 'message/rfc822', content: inner },
      { filename: names[2] ?? '', contentType: 'application/octet-stream', content: Buffer.alloc(0) },
      { filename: names[3] ?? '', contentType: 'text/plain', content: Buffer.from('a\nb') },
    ],
  });
  const { attachments, text } = await parseMail(raw);
  t.same(
    attachments.map(({ filename }) => filename),
    ['Prüfung 日本 1.pdf', 'inner.eml', 'x.bin', `${'long '.repeat(30).trim()} .txt`],
  );
  t.same(attachments[0]?.content, binary);
  t.same(attachments[1]?.content, inner);
  t.ok(raw.includes(inner), 'not encoded either');
  t.same(attachments[3]?.content, Buffer.from('a\nb'));
  t.equal(text, DRAFT.body);
});

t.test('the name of a file is folded at its encoded words alone', async (t) => {
  const names = [
    'Report of the third quarter for Example, final version (signed).pdf',
    'ü and nothing more '.repeat(9),
  ];
  const file = { contentType: 'application/pdf', content: Buffer.from('a') };
  const raw = await compose({
    ...DRAFT,
    attachments: [...names, 'long '.repeat(30)].map((filename) => ({ ...file, filename })),
  });
  const fields = raw.toString('latin1').match(/^Content-.*(?:\r\n[ \t].*)*/gm) ?? [];
  const folded = fields.flatMap((field) => field.match(/"[^"]*\r\n[^"]*"/g) ?? []);
  t.match(folded, [/^"=\?UTF-8\?Q\?/], 'of the second in its `name`');
  for (const name of folded) t.notMatch(name, /[^?][^=]\r\n/);
  t.match(fields.join(), `filename="${names[0]}"`);
});

t.test('an attached message has the line ends of the mail, so that it is sent as it is signed', async (t) => {
  // As a thread gets it.
  const content = structuredClone(Buffer.from('From: a@b.test\n\rOne\r\r\ntwo\rthree\r\n'));
  const raw = await compose({
    ...DRAFT,
    body: 'Hi',
    attachments: [{ filename: 'a.eml', contentType: 'message/rfc822', content }],
  });
  t.ok(raw.includes('From: a@b.test\r\n\r\nOne\r\n\r\ntwo\r\nthree\r\n'));
  t.ok(toDataBody(raw).equals(Buffer.concat([raw, Buffer.from('.\r\n')])));
});

t.test('a report on a mail is attached unencoded: programs read its fields without decoding', async (t) => {
  const content = Buffer.from(
    'Reporting-MTA: dns; mx.test\r\n\r\nFinal-Recipient: rfc822; a@b.test\r\nAction: failed\r\n',
  );
  for (const kind of ['delivery-status', 'disposition-notification', 'feedback-report']) {
    const attachment = { filename: 'report.txt', contentType: `message/${kind}`, content };
    const raw = await compose({ ...DRAFT, attachments: [attachment] });
    t.ok(raw.includes(content));
    t.match((await parseMail(raw)).attachments, [{ ...attachment, content }]);
  }
});

t.test('an address outside ASCII stands in its field as it is, and reads back', async (t) => {
  const raw = await compose({ ...DRAFT, to: [named('jörg@mail.test', 'Jörg')], replyTo: [named('büro@example.org')] });
  t.match(raw.toString(), /^To: .*<jörg@mail\.test>\r$/m);
  const mail = await parseMail(raw);
  t.match(mail, { to: [{ name: 'Jörg', address: 'jörg@mail.test' }], replyTo: [{ address: 'büro@example.org' }] });
});

t.test('what a type says beside itself goes along, and an image finds its place in the HTML', async (t) => {
  const content = Buffer.from('x');
  const raw = await compose({
    ...DRAFT,
    html: '<p><img src="cid:logo@mail"></p>',
    attachments: [
      { filename: 'logo.png', contentType: 'image/png', contentId: 'logo@mail', content },
      { filename: 'a.pdf', contentType: 'application/pdf', contentId: 'other@mail', content },
      { filename: 'i.ics', contentType: 'text/calendar; method=REQUEST; charset="koi8-r"', content },
      { filename: 'I.ICS', contentType: 'text/calendar\r\nX: y', content },
    ],
  });
  const { attachments } = await parseMail(raw);
  t.match(attachments, [
    { filename: 'logo.png', contentId: 'logo@mail', inline: true },
    { filename: 'a.pdf', contentId: 'other@mail', inline: false },
    { filename: 'i.ics', contentType: 'text/calendar', mediaType: 'text/calendar; method=REQUEST; charset=koi8-r' },
    { filename: 'I-2.ICS', contentType: 'application/octet-stream' },
  ]);
});

t.test('an image is named in the HTML by its file name, too', async (t) => {
  const file = { contentType: 'image/png', content: Buffer.from('x') };
  const raw = await compose({
    ...DRAFT,
    html: '<p><img src="cid:chart.png"></p>',
    attachments: [
      { ...file, filename: 'chart.png' },
      { ...file, filename: 'chart' },
    ],
  });
  t.match((await parseMail(raw)).attachments, [
    { filename: 'chart.png', contentId: 'chart.png', inline: true },
    { filename: 'chart', contentId: null, inline: false },
  ]);
});

t.test('a link reads the same in both parts', (t) => {
  for (const url of ['https://xn--bcher-kva.test/a', 'https://x.test/%C3%A4%20b', 'https://x.test/a_b__c*d']) {
    t.match(renderMarkdown(`See ${url} now`), `>${url}</a>`);
  }
  t.end();
});

t.test('plain text loses no line, and has no heading above a signature', (t) => {
  t.equal(renderMarkdown('Best,\nAnn\n-- \nAcme'), '<p>Best,<br>\nAnn<br>\n--<br>\nAcme</p>\n');
  t.equal(renderMarkdown('The *plan*\n===\nb\nc\n=='), '<h1>The <em>plan</em></h1>\n<p>b<br>\nc<br>\n==</p>\n');
  t.match(renderMarkdown('- a\n==\n\n> b\n===\n\n- c\n  ==='), /<li>a<br>\n==<[\s\S]+<p>b<br>\n===<[\s\S]+<h1>c<\/h1>/);
  t.equal(renderMarkdown('[Deadline]: Friday\nNo later.'), '<p>[Deadline]: Friday<br>\nNo later.</p>\n');
  t.equal(renderMarkdown('[a][1]\n\n[1]: https://x.test'), '<p><a href="https://x.test">a</a></p>\n');
  t.end();
});

t.test('bold needs no blanks in Chinese, Japanese and Korean', (t) => {
  for (const [body, html] of [
    ['**中文：**内容', '<strong>中文：</strong>内容'],
    ['**复现：**10 轮', '<strong>复现：</strong>10 轮'],
    ['これは**「重要」**です。', 'これは<strong>「重要」</strong>です。'],
    ['**마크다운(Markdown)**을', '<strong>마크다운(Markdown)</strong>을'],
    ['***重要：***明日', '<em><strong>重要：</strong></em>明日'],
    ['中文*.txt 和 *.md 文件', '中文*.txt 和 *.md 文件'],
    ['**Warning:**text', '**Warning:**text'],
  ])
    t.equal(renderMarkdown(body ?? ''), `<p>${html}</p>\n`);
  t.end();
});

t.test('the numbers of a list are those that are written', (t) => {
  const read = (body: string) => readHtml(renderMarkdown(body)).text.replace(/\n+/g, '\n');
  for (const text of [
    '12. März, 10 Uhr\n19. März, 11 Uhr\n1. April',
    '1. yes\n3. no\n4. yes',
    '5. a\n  2. b\n  4. c\n7. d',
    '1. a\n  - b\n  - c\n2. d',
  ]) {
    t.equal(read(text.replaceAll('\n  ', '\n   ')), text);
  }
  t.equal(read('1. a\n1. b\n1. c'), '1. a\n2. b\n3. c');
  t.end();
});

t.test('an empty body is one', async (t) => {
  const mail = await parseMail(await compose({ ...DRAFT, body: '', subject: '' }));
  t.equal(mail.text.trim(), '');
  t.equal(mail.subject, '');
});

t.test('a given HTML is used', async (t) => {
  t.equal((await parseMail(await compose({ ...DRAFT, html: '<p>mine</p>' }))).html, '<p>mine</p>');
});

t.test('reads no file and fetches nothing', async (t) => {
  const content = { path: '/etc/passwd' } as unknown as Buffer;
  const attachments = [{ filename: 'x', contentType: 'text/plain', content }];
  await t.rejects(compose({ ...DRAFT, attachments }));
});

t.test('Markdown runs nothing', async (t) => {
  t.notMatch(
    renderMarkdown('[x](javascript:alert(1)) <img src=x onerror=y> ![a](data:text/html,x)'),
    /<img|href="javascript|<a/,
  );
});

t.test('takes the shorter encoding, and identifiers alone as such', async (t) => {
  await t.rejects(compose({ ...DRAFT, messageId: '<a b@x.test>' }), TypeError);
  await t.rejects(compose({ ...DRAFT, messageId: '<é@x.test>' }), TypeError);
  const whole = (await compose({ ...DRAFT, inReplyTo: '<a b@x.test>' })).toString();
  t.notMatch(whole, /^In-Reply-To/m, 'an identifier of another host that is none');
  const encodingOf = async (body: string) =>
    /^Content-Transfer-Encoding: (\S+)/m.exec((await compose({ ...DRAFT, body })).toString())?.[1];
  t.equal(await encodingOf('Viele Grüße aus Köln'), 'quoted-printable');
  t.equal(await encodingOf('Привет из Москвы'), 'base64');
});

t.test('the time for quotes that other lines interrupt grows with their number alone', async (t) => {
  const began = processorMs();
  for (const line of ['> ```\n.\n', '](\\\n> ```\n', '- > ```\n.\n  '])
    renderMarkdown(line.repeat(160_000 / line.length));
  t.ok(processorMs() - began < 5_000);
});
