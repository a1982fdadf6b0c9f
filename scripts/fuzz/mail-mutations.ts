/** Damage to messages: to their bytes, their fields, their boundaries, their charsets. */

import type { Random } from './random.ts';

type Mutation = (mail: string, random: Random, others: readonly Buffer[]) => string;

const CHARSETS = [
  'utf-8',
  'utf-7',
  'utf-16',
  'utf-16be',
  'utf-32',
  'iso-2022-jp',
  'iso-2022-kr',
  'gb18030',
  'big5',
  'hz-gb-2312',
  'koi8-r',
  'x-user-defined',
  'replacement',
  'us-ascii',
  'cp437',
  'nosuch',
  '',
  '"',
  "utf-8''%ff",
  '\xff',
];
const ENCODINGS = ['7bit', '8bit', 'binary', 'base64', 'quoted-printable', 'uuencode', 'x-uue', 'nosuch', ''];
const TYPES = [
  'text/plain',
  'text/html',
  'text/plain; format=flowed',
  'message/rfc822',
  'message/partial; id=1; number=1',
  'message/delivery-status',
  'multipart/mixed',
  'multipart/mixed; boundary=""',
  'multipart/alternative; boundary=b',
  'multipart/digest; boundary=b',
  'multipart/signed; boundary=b',
  'image/png',
  '/',
  'text',
  'a/b/c',
  'text/calendar; charset=utf-8',
];
const FIELDS = [
  'From: a@b.test',
  'From: a@b.test, c@d.test',
  'From:',
  'From: =?utf-8?q?=00?= <a@b.test>',
  'To: <<<>>>',
  'Cc: a:b:c:;;;,,,@',
  'Subject: =?utf-8?b?////?= =?x?q?=ZZ?=',
  'Date: Fri, 99 Foo 99999 99:99:99 +9999',
  'Message-ID: <<>>',
  'References: <a> <b> <c',
  'In-Reply-To: \0',
  'Reply-To: "a\\',
  'MIME-Version: 9',
  'DKIM-Signature: v=1; a=rsa-sha1; d=; s=; l=-1; h=; bh=; b=',
  'ARC-Seal: i=99999999999999999999; cv=pass; b=',
  'ARC-Message-Signature: i=1',
  'Authentication-Results: mx.box.test; dkim=pass',
  'Received: x',
  'Auto-Submitted: ;',
  'List-Id: \xff',
  "Content-Disposition: attachment; filename*0*=utf-8''%ff; filename*1=x",
  'Content-ID: <',
  'Content-Location: http://[',
  'X: ',
  ' folded',
  '\tfolded',
  ': nameless',
  'no colon',
  'From : a@b.test',
];

const at = (text: string, random: Random): number => random.below(text.length + 1);
const insert = (text: string, place: number, piece: string): string => text.slice(0, place) + piece + text.slice(place);
const junk = (random: Random, most: number): string => random.bytes(random.below(most)).toString('latin1');
const headerEnd = (mail: string): number => {
  const end = mail.indexOf('\r\n\r\n');
  return end < 0 ? mail.length : end;
};

const flipBits: Mutation = (mail, random) => {
  const bytes = Buffer.from(mail, 'latin1');
  for (let flips = 1 + random.below(20); flips > 0 && bytes.length > 0; flips -= 1) {
    const place = random.below(bytes.length);
    bytes[place] = (bytes[place] as number) ^ (1 << random.below(8));
  }
  return bytes.toString('latin1');
};
const splice: Mutation = (mail, random, others) => {
  const other = random.pick(others).toString('latin1');
  return mail.slice(0, at(mail, random)) + other.slice(at(other, random));
};
const cut: Mutation = (mail, random) => mail.slice(0, at(mail, random));
const drop: Mutation = (mail, random) => {
  const place = at(mail, random);
  return mail.slice(0, place) + mail.slice(place + random.below(2_000));
};
const repeat: Mutation = (mail, random) => {
  const place = at(mail, random);
  return insert(mail, place, mail.slice(place, place + random.below(400)).repeat(1 + random.below(200)));
};
const addField: Mutation = (mail, random) => {
  const lines = mail.slice(0, headerEnd(mail)).split('\r\n');
  for (let fields = 1 + random.below(4); fields > 0; fields -= 1) {
    lines.splice(random.below(lines.length + 1), 0, random.pick(FIELDS));
  }
  return lines.join('\r\n') + mail.slice(headerEnd(mail));
};
const dropField: Mutation = (mail, random) => {
  const lines = mail.slice(0, headerEnd(mail)).split('\r\n');
  lines.splice(random.below(lines.length), 1 + random.below(3));
  return lines.join('\r\n') + mail.slice(headerEnd(mail));
};
const manyFields: Mutation = (mail, random) => `${`${random.pick(FIELDS)}\r\n`.repeat(1 + random.below(1_500))}${mail}`;
/** As many fields as the header's bytes hold. */
const headerFlood: Mutation = (mail, random) =>
  `${random.pick(['X: y\r\n', 'Received: x\r\n', 'X:\r\n a\r\n', ...FIELDS.map((field) => `${field}\r\n`)]).repeat(random.below(30_000))}${mail}`;
const longLine: Mutation = (mail, random) =>
  insert(
    mail,
    at(mail, random),
    random
      .pick(['x', '=', '<', '(', '"', ' ', '\t', '.', ':', '@', '\r\n ', '=?', ';a*0='])
      .repeat(random.below(40_000)),
  );
const replaceAll =
  (pattern: RegExp, values: readonly string[]): Mutation =>
  (mail, random) =>
    mail.replace(pattern, (_, name: string) => name + random.pick(values));
const damageBoundary: Mutation = (mail, random) => {
  const boundary = /boundary="?([^"\r\n;]+)/i.exec(mail)?.[1] ?? 'b';
  const piece = random.pick([
    `--${boundary}`,
    `--${boundary}--`,
    `--${boundary} \t `,
    `--${boundary}x`,
    `\r\n--${boundary}\r\n\r\n--${boundary}--\r\n`,
    `--${boundary}\r\n`.repeat(300),
  ]);
  return insert(mail, at(mail, random), `\r\n${piece}\r\n`);
};
const nest: Mutation = (mail, random) => {
  const depth = 1 + random.below(random.pick([5, 50, 600]));
  const open = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=n${level}\r\n\r\n--n${level}\r\n`,
  );
  return `From: a@b.test\r\nSubject: deep\r\n${open.join('')}${mail}`;
};
/** Elements within elements, and words in the innermost. */
const nestHtml: Mutation = (_mail, random) => {
  const tags = Array.from({ length: 1 + random.below(3) }, () =>
    random.pick([
      'a href="http://x.test/xxxxxxxxxxxxxxxxxxxx/"',
      'blockquote',
      'div',
      'table><tr><td',
      'ul><li',
      'h1',
      'b',
    ]),
  );
  const open = tags.map((tag) => `<${tag}>`).join('');
  const words = random.pick(['x ', '<p>x', '<h1>x</h1>', '<br>', '&lt;', '<td>']).repeat(random.below(200_000));
  const html = `${open.repeat(1 + random.below(random.pick([20, 200, 3_000])))}${words}`;
  return `From: a@b.test\r\nSubject: nested\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${html.replace(/.{900}/g, '$&\r\n')}\r\n`;
};
const wrap: Mutation = (mail, random) => {
  const kind = random.pick([
    'message/rfc822',
    'message/global',
    'multipart/digest; boundary=w',
    'application/octet-stream',
  ]);
  return `From: a@b.test\r\nSubject: within\r\nContent-Type: ${kind}\r\n\r\n${mail}`;
};
const insertJunk: Mutation = (mail, random) =>
  insert(mail, at(mail, random), random.chance(0.3) ? '\0'.repeat(random.below(300)) : junk(random, 300));

const MUTATIONS: readonly Mutation[] = [
  flipBits,
  flipBits,
  splice,
  cut,
  drop,
  repeat,
  addField,
  addField,
  dropField,
  manyFields,
  longLine,
  replaceAll(/(charset=)"?[^\s";]*"?/gi, CHARSETS),
  replaceAll(/(content-transfer-encoding: )[^\r\n]*/gi, ENCODINGS),
  replaceAll(/(content-type: )[^\r\n]*/gi, TYPES),
  damageBoundary,
  damageBoundary,
  nest,
  nestHtml,
  headerFlood,
  wrap,
  insertJunk,
];

/** Most damaged mails keep CRLF alone and one From, so that they reach the parser and are stored. */
const LIKELY = 0.85;
const MAX_BYTES = 2 * 1024 * 1024;

export const mutateMail = (mails: readonly Buffer[], random: Random): Buffer => {
  let mail = random.pick(mails).toString('latin1');
  for (let times = random.below(5); times > 0 && mail.length < MAX_BYTES; times -= 1) {
    mail = random.pick(MUTATIONS)(mail, random, mails);
  }
  if (random.chance(LIKELY)) mail = mail.replace(/\r\n|\r|\n/g, '\r\n');
  if (random.chance(LIKELY)) {
    const end = headerEnd(mail);
    mail = `From: carol@remote.test\r\n${mail.slice(0, end).replace(/^from[ \t]*:/gim, 'X-From:')}${mail.slice(end)}`;
  }
  return Buffer.from(mail.slice(0, MAX_BYTES), 'latin1');
};
