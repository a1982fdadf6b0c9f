/** What a reviewer of held mail is shown of it, as the worker threads make it ready. */

import { zstdDecompressSync } from 'node:zlib';
import t from 'tap';
import type { Address } from '../../../src/kernel/address.ts';
import type { Draft } from '../../../src/mail/compose/compose-message.ts';
import { parseMail } from '../../../src/mail/mime/parse-message.ts';
import { WORKER_LIMITS } from '../../../src/workers/limits.ts';
import type { Composed } from '../../../src/workers/tasks.ts';
import { createWorkerPool } from '../../../src/workers/worker-pool.ts';
import { makeBudget } from '../../harness/budget.ts';

const { workerQueue } = makeBudget('').budget;
const onError = (error: unknown) => t.fail(String(error));
const pool = createWorkerPool({ threads: 1, resolvers: ['127.0.0.1:9'] }, { workerQueue, onError }, WORKER_LIMITS);
t.teardown(() => pool.close());

const ann = { name: null, address: 'ann@box.test' as Address };

const compose = (parts: Partial<Draft>): Promise<Composed> => {
  const draft = { from: ann, to: [ann], cc: [], subject: 'Hi', body: 'Hi.', date: 0, messageId: '<a@box.test>' };
  return pool.run(
    { kind: 'compose', draft: { ...draft, attachments: [], ...parts }, pixelUrl: null, leakIndex: null, bcc: [] },
    { workspace: 'one' },
  );
};

t.test('every attachment of a draft is listed, whatever type it is given', async (t) => {
  const content = Buffer.from('--q\r\nContent-Type: text/plain\r\n\r\nWords.\r\n--q--\r\n');
  const attached = (contentType: string) => compose({ attachments: [{ filename: 'a.bin', contentType, content }] });
  const octets = { filename: 'a.bin', contentType: 'application/octet-stream' };
  t.match(await attached('multipart/mixed; boundary=q'), { isWhole: true, attachments: [octets] });
  for (const contentType of ['text/plain', 'text/html', 'application/pdf', 'message/rfc822']) {
    const { isWhole, attachments, mime } = await attached(contentType);
    t.match({ isWhole, attachments }, { isWhole: true, attachments: [{ filename: 'a.bin', contentType }] });
    t.match(zstdDecompressSync(mime).toString(), contentType);
  }
  t.match(await compose({}), { isWhole: true, attachments: [], htmlText: null, htmlChanged: [] });
});

t.test('HTML is rewritten, and its losses are named; alone, it is the text as well', async (t) => {
  const html = '<p style="float:right">Pay <b>42</b></p><script>x</script>';
  const composed = await compose({ body: '', html });
  t.match(composed, { text: 'Pay 42', htmlText: null, htmlChanged: ['style float', 'element script'] });
  const raw = zstdDecompressSync(composed.mime).toString();
  t.match(raw, /<p>Pay <b>42<\/b><\/p>/);
  t.match(raw, /text\/plain[\s\S]*Pay 42[\s\S]*text\/html/);
  t.notMatch(raw, /float|script/);
  t.match(await compose({ body: 'Pay *42*', html }), { htmlText: null });
  t.match(await compose({ body: 'Pay -42', html }), { text: 'Pay -42', htmlText: 'Pay 42' });
});

t.test('copies of a mass mailing have one digest, which the thread makes', async (t) => {
  const digestOf = async (body: string) => (await compose({ body })).bodyHash;
  const first = await digestOf('Dear Ann, you won 100 francs!');
  t.match(first, /^[0-9a-f]{64}$/);
  t.equal(await digestOf('dear  ÁNN: you won 2000 francs'), first);
  t.not(await digestOf('Dear Bob, you won 100 francs!'), first);
});

const submit = (mime: string, isRebuilt = true) => {
  const raw = Buffer.from(`From: ann@box.test\r\nDate: Sat, 3 Feb 2024 04:05:00 +0000\r\n${mime}`);
  return pool.run(
    { kind: 'prepare-raw', raw, isRebuilt, messageId: '<a@box.test>', date: 0, leakIndex: null, bcc: [] },
    { workspace: 'one' },
  );
};

t.test('a submitted mail that programs read differently is composed anew for a review', async (t) => {
  const body = '\r\n\r\n--a\r\n\r\nHi.\r\n--a--\r\n--b\r\n\r\nPay.\r\n--b--\r\n';
  for (const mime of [
    `Content-Type: multipart/mixed; boundary=a${body}`,
    `Content-Type: multipart/mixed; boundary=a; boundary=b${body}`,
    `Content-Type: multipart/mixed; boundary=a\r\nContent-Type: multipart/mixed; boundary=b${body}`,
    'Content-Type: multipart/mixed\r\n\r\n--a\r\n\r\nHi.\r\n--a--\r\n',
    'Content-Transfer-Encoding: base64\r\n\r\nSGVsbG8gdGhl=RVZJTCEh\r\n',
    `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\nHi.\r\n'.repeat(1_100)}--a--\r\n`,
  ]) {
    const { isWhole, text, mime: bytes } = await submit(mime);
    t.equal(isWhole, true, mime.slice(0, 100));
    const sent = await parseMail(zstdDecompressSync(bytes));
    t.equal(sent.text.trim(), text.trim());
    t.same(sent.defects, [], 'and every program reads it as it was read');
  }
});

t.test('a rebuilt mail keeps its fields, its files and its wrapped originals', async (t) => {
  const original = 'From: bob@peer.test\r\nSubject: Old\r\n\r\nOld words.\r\n';
  const mime = [
    'To: bob@peer.test\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nOrganization: Acme\r\nDKIM-Signature: v=1\r\nX-Odd: 1',
    'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a\r\n',
    '--a\r\nContent-Type: text/html\r\n\r\n<p style="display:none">Hidden</p><p>Seen</p>',
    `--a\r\nContent-Type: message/rfc822\r\n\r\n${original}`,
    '--a\r\nContent-Type: text/csv; header=present\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\nx,y\r\n--a--\r\n',
  ].join('\r\n');
  const { mime: bytes, ...rebuilt } = await submit(mime);
  t.match(rebuilt, { text: 'Seen', subject: 'Grüße', htmlChanged: ['hidden text'], isWhole: true });
  t.same(
    rebuilt.attachments.map(({ contentType }) => contentType),
    ['message/rfc822', 'text/csv'],
  );
  const raw = zstdDecompressSync(bytes).toString();
  t.match(raw, /^Organization: Acme\r$/m);
  t.match(raw, /Old words\./);
  t.match(raw, /header=present/);
  t.notMatch(raw, /Hidden|DKIM-Signature/);
  const { mime: given } = await submit(mime, false);
  t.match(zstdDecompressSync(given).toString(), /X-Odd: 1[\s\S]*Hidden/, 'unless no person reviews it');
});

t.test('words of Markdown that its HTML does not show are told by both texts', async (t) => {
  const html = async (body: string) => (await compose({ body })).htmlText;
  t.equal(await html('Hi.\n\n[x]: https://x.test (EVIL words)\n\nBye.'), 'Hi.\n\nBye.');
  t.equal(await html('[a]: https://x.test "EVIL"'), '');
  t.equal(await html('EVIL\n\n[x]: https://x.test (EVIL)'), 'EVIL', 'a word that is shown once');
  t.match(await html('```js EVIL\ncode\n```'), /^code$/m);
  t.notMatch(await html('a|b\n-|-\n1|2|EVIL\n'), /EVIL/);
  t.match(await html('1. one\n1. two\n'), /2\. two/, 'a number that is counted otherwise');
  t.type(await html('Yes.\n\n[x]: https://x.test (\u{1f44e})'), 'string');
  t.type(await html('https://pay.evil.test\n\n[x]: https://x.test (pay evil)'), 'string', 'a link is no second copy');
  for (const body of [
    'Dear Ann,\n\n*all* is **well**, _isn’t_ it? 5 < 6, foo*bar*baz, snake_case \\*',
    '# Title\n\n- a\n- b\n  1. c\n  2. d\n\n3) three\n4) four\n\n> quoted\n\n---\n~~gone~~',
    'See [the docs](https://x.test/a%20b/ü?c=d&e), https://x.test/ü_, www.x.test or ann@x.test <b>',
    '```\nconst a = 1;\n```\n\n    indented\n\n`code`',
    'a|b\n-|-\n1|2\n',
    'Total: €5 ✔ 👍 caf\u0065\u0301',
    '',
  ]) {
    t.equal(await html(body), null, body);
  }
});

t.test(
  'the difference that an edit made is found in bounded time; a text that was written anew is shown whole',
  async (t) => {
    const { mime, subject, text } = await compose({ body: 'One\n\nTwo\n' });
    const edit = async (written: string, edited: string): Promise<string> => {
      const { changes } = await pool.run(
        {
          ...{ kind: 'edit-held', mime, pixelUrl: null, leakIndex: null, recipients: ['bob@box.test'] },
          original: { subject, recipients: ['bob@box.test', 'eve@box.test'], text: written },
          edit: { subject, text: edited, isNewText: true, removed: [] },
        },
        { workspace: 'one' },
      );
      return changes.slice(changes.indexOf('@@'));
    };
    const head = '@@ -1,6 +1,6 @@\n Subject: Hi\n-To: bob@box.test, eve@box.test\n+To: bob@box.test\n';
    t.equal(await edit(text, 'One\n\nThree\n'), `${head} \n One\n \n-Two\n+Three\n`);
    const lines = (word: string) => Array.from({ length: 4_000 }, (_, at) => `${word} ${at}`);
    const whole = await edit(lines('old').join('\n'), lines('new').join('\n'));
    t.equal(whole.split('\n').length, 8_008);
    t.match(
      whole,
      /^@@ -1,4003 \+1,4003 @@\n-Subject: Hi\n-To: .*\n-\n-old 0\n.*\n-old 3999\n\+Subject: Hi\n.*\+new 3999\n$/s,
    );
  },
);
