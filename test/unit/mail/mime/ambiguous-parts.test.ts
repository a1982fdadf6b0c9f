import t from 'tap';
import { createBase64Check, isAmbiguity } from '../../../../src/mail/mime/ambiguous-parts.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';

const HEAD = 'From: carol@remote.test\r\nDate: Sat, 3 Feb 2024 04:05:00 +0000\r\n';
const defectsOf = async (mime: string): Promise<string[]> => (await parseMail(Buffer.from(HEAD + mime))).defects;
const divided = (parameters: string, part = '\r\nHi.') =>
  `Content-Type: multipart/mixed; ${parameters}\r\n\r\n--a\r\n${part}\r\n--a--\r\n`;
const part = (header: string, body = 'Hi.') => divided('boundary=a', `${header}\r\n\r\n${body}`);

t.test('fields and parameters that stand twice are defects, in the message and in a part', async (t) => {
  const cases: [mime: string, defect: string][] = [
    [divided('boundary=a; boundary=b'), 'more than one boundary'],
    [divided('boundary=a;\r\n\tBOUNDARY="b"'), 'more than one boundary'],
    [divided('boundary*=us-ascii\'\'b; boundary="a"'), 'more than one boundary'],
    [divided('boundary=a; boundary*0=b'), 'more than one boundary'],
    [divided('boundary=a (; boundary=b)'), 'more than one boundary'],
    ['Content-Type: text/plain; charset=utf-7; charset=utf-8\r\n\r\nHi.', 'more than one charset'],
    ['Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\nHi.', 'more than one Content-Type'],
    [
      'Content-Transfer-Encoding: 7bit\r\ncontent-transfer-encoding: base64\r\n\r\nSGku',
      'more than one Content-Transfer-Encoding',
    ],
    [part('Content-Type: text/plain\r\nContent-Type: text/html'), 'more than one Content-Type'],
    [part('Content-Type: text/plain; charset=utf-7;\r\n charset=utf-8'), 'more than one charset'],
    [
      part('Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding : base64'),
      'more than one Content-Transfer-Encoding',
    ],
    [part('Content-Disposition: inline\r\nCONTENT-DISPOSITION: attachment'), 'more than one Content-Disposition'],
    [
      part('Content-Type: multipart/mixed; boundary=b; boundary=c', '--b\r\n\r\nHi.\r\n--b--'),
      'more than one boundary',
    ],
  ];
  for (const [mime, defect] of cases) {
    const defects = await defectsOf(mime);
    t.same(defects.filter(isAmbiguity), [defect], mime);
  }
});

t.test('what has one reading is none', async (t) => {
  for (const mime of [
    divided('boundary=a; charset=utf-8'),
    divided('charset="utf-8";boundary="a"; type="text/html"; x-boundary=b'),
    divided('boundary*0="a"; boundary*1=""'),
    part(
      "Content-Type: text/plain; charset=utf-8; name=x\r\nContent-Disposition: inline; filename=x; filename*=utf-8''x",
    ),
    part('Content-Transfer-Encoding: base64', 'SGku\r\n \tSGku\r\nSA==\r\n'),
    'Content-Transfer-Encoding: base64\r\n\r\n\r\n',
  ]) {
    t.same(await defectsOf(mime), [], mime);
  }
});

t.test('data behind the padding of base64, and octets outside its alphabet', async (t) => {
  const encoded = (body: string) => part('Content-Type: text/plain\r\nContent-Transfer-Encoding: base64', body);
  const AFTER = ['data behind the end of base64'];
  const FOREIGN = ['octets in base64 that are not of it'];
  t.same(await defectsOf(encoded('SGVsbG8gdGhl=RVZJTCEh')), AFTER);
  t.same(await defectsOf(encoded('SGkuIA==\r\n\r\nSGku')), AFTER);
  t.same(await defectsOf(encoded('SGkuIA==\r\n-- \r\nlist')), AFTER, 'a footer too');
  t.same(await defectsOf(encoded('SGVs!bG8g')), FOREIGN);
  t.same(await defectsOf(encoded('SGVs-bG8_')), FOREIGN);
  t.same(await defectsOf('Content-Transfer-Encoding: base64\r\n\r\nSGVs!bG8g\r\n'), FOREIGN, 'in a mail of one part');
  t.same(
    await defectsOf(part('Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64', 'SGkuIA==SGku')),
    AFTER,
    'in a file',
  );
  t.ok([...AFTER, ...FOREIGN].every(isAmbiguity));
});

t.test('chunks of base64 are examined as one', (t) => {
  const check = (...chunks: string[]): string[] => {
    const found: string[] = [];
    const examine = createBase64Check((defect) => found.push(defect));
    for (const chunk of chunks) examine(Buffer.from(chunk));
    return found;
  };
  t.same(check('SGkuIA=', '=\r\n', 'S', 'G', '!'), ['data behind the end of base64']);
  t.same(check('SGku', 'IA=', '=\r', '\n'), []);
  t.end();
});

t.test('an attached message that is shown as the text counts', async (t) => {
  const message = 'Subject: x\r\nContent-Type: text/plain; charset=utf-7; charset=utf-8\r\n\r\nHi.';
  t.same(await defectsOf(part('Content-Type: message/rfc822', message)), ['more than one charset']);
});
