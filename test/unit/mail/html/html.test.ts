import t from 'tap';
import { readHtml } from '../../../../src/mail/html/read-html.ts';
import { sanitizeForFrame, sanitizeMailHtml } from '../../../../src/mail/html/sanitize-html.ts';
import { linesOf } from '../../../harness/lines.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const htmlToText = (html: string): string => readHtml(html).text;

t.test('keeps what is to be read', async (t) => {
  const html =
    '<h1 style="color:#f00;font-size:12px">Hi</h1><table border="1"><tr><td align="left">x</td></tr></table><a href="https://x.y/?a=1&amp;b">l</a><a href="mailto:a@b.de">m</a><img src="cid:logo@x" alt="L">';
  const safe = sanitizeMailHtml(html);
  for (const part of [
    '<h1 style="color:#f00;font-size:12px">',
    '<td align="left">',
    'href="https://x.y/?a=1&amp;b"',
    'href="mailto:a@b.de"',
    'src="cid:logo@x"',
  ]) {
    t.match(safe, part);
  }
});

t.test('drops what runs, loads or covers', async (t) => {
  const payloads = linesOf`
    <script>alert(1)</script>
    <img src=x onerror=alert(1)>
    <img src="https://tracker.example/p.gif">
    <img src="data:image/svg+xml;base64,xx">
    <a href="javascript:alert(1)">x</a>
    <a href="JaVa&#09;script:alert(1)">x</a>
    <a href="data:text/html,x">x</a>
    <a href="//evil.example">x</a>
    <p style="background:url(https://t.example/x)">x</p>
    <p style="position:fixed;top:0">x</p>
    <p style="width:expression(alert(1))">x</p>
    <style>@import url(https://t.example)</style>
    <link rel=stylesheet href=https://t.example>
    <iframe src=https://t.example></iframe>
    <form action=https://t.example><input name=a></form>
    <svg onload=alert(1)><script>alert(1)</script></svg>
    <meta http-equiv=refresh content="0;url=https://t.example">
    <base href=https://t.example>
    <object data=x></object><embed src=x><video src=x></video>
    <math><mtext><img src=x onerror=alert(1)></mtext></math>
  `;
  for (const payload of payloads) {
    t.notMatch(
      sanitizeMailHtml(payload),
      /script|onerror|onload|t\.example|tracker|evil|data:|url\(|position|expression|<(?:form|svg|iframe|object|embed|meta|base|link|style)/i,
      payload,
    );
  }
  t.equal(sanitizeMailHtml('<p>a<script>b</script>c</p>'), '<p>ac</p>');
});

t.test('reads as text', async (t) => {
  t.equal(
    htmlToText('<p>one</p><p>two <a href="https://x.y">link</a></p><blockquote>old</blockquote>'),
    'one\n\ntwo link [https://x.y]\n\n> old',
  );
  t.equal(htmlToText('<ul><li>a</li><li>b</li></ul>'), '- a\n- b');
  t.equal(htmlToText('<style>p{}</style><script>x</script>&lt;b&gt;'), '<b>');
});

t.test('struck and raised text reads as what it is', (t) => {
  const forms = [
    ['<p>Meet at <s>10</s> 11</p>', 'Meet at ~~10~~ 11'],
    ['<del><p>a <strike>b</strike></p><p>c</p></del>d', '~~a b~~\n\n~~c~~\n\nd'],
    ['10<sup>6</sup>, 9<sup>99</sup>, 21<sup>st</sup>, CO<sub>2</sub>', '10^6, 9^99, 21st, CO2'],
    ['<p>in 2024</p><p><sup>1</sup> A note<br>5<br><sup>2</sup> b</p>', 'in 2024\n\n1 A note\n5\n2 b'],
    ['<ol start="3"><li>a</li><li value="7">b</li><li>c</li></ol>', '3. a\n7. b\n8. c'],
    ['a<s style="display:none">b</s><s></s>c', 'ac'],
  ] as const;
  for (const [html, text] of forms) t.equal(readHtml(html).text, text);
  t.end();
});

t.test('quotes and signatures are folded for a reader, the outermost of them', async (t) => {
  const fold = (html: string) => sanitizeForFrame(html, false, true).html;
  const folded = (words: string, html: string) => `<details><summary>${words}</summary>${html}</details>`;
  t.equal(
    fold('<p>Yes</p><div class="gmail_quote">On Tue<blockquote>old<blockquote>older</blockquote></blockquote></div>'),
    `<p>Yes</p>${folded('Quoted text', '<div>On Tue<blockquote>old<blockquote>older</blockquote></blockquote></div>')}`,
  );
  t.equal(
    fold('<div><p>Yes</p><div id="Signature">Kari</div><div id="divRplyFwdMsg">From: x</div><p>old</p></div>after'),
    `<div><p>Yes</p>${folded('Signature', '<div>Kari</div>')}${folded('Quoted text', '<div>From: x</div><p>old</p>')}</div>after`,
  );
  t.equal(fold('<div class="gmail_quote">All of it</div>'), '<div>All of it</div>', 'a mail that is one quote');
  t.equal(
    sanitizeForFrame('a<blockquote>b</blockquote>', false).html,
    'a<blockquote>b</blockquote>',
    'not where it is judged',
  );
});

t.test('a signature below its mark is folded as in plain text', async (t) => {
  const fold = (html: string) => sanitizeForFrame(html, false, true).html;
  const folded = (words: string, html: string) => `<details><summary>${words}</summary>${html}</details>`;
  t.equal(
    fold('<p>Yes</p><p>-- <br>Kari<br>Claims</p>'),
    `<p>Yes</p>${folded('Signature', '<p>-- <br />Kari<br />Claims</p>')}`,
  );
  t.equal(
    fold('<div><div>Yes</div><div>--&nbsp;</div><div>Kari</div></div>after'),
    `<div><div>Yes</div>${folded('Signature', '<div>--\u00a0</div><div>Kari</div>')}</div>after`,
  );
  t.equal(fold('Yes<br>--<br>Kari'), `Yes<br />${folded('Signature', '--<br />Kari')}`, 'at the root');
  t.equal(
    fold('<p>Yes</p><p><span>-- </span></p><p>Kari</p>'),
    `<p>Yes</p>${folded('Signature', '<p><span>-- </span></p><p>Kari</p>')}`,
  );
  t.equal(
    fold('<div>Yes<br>-- <br>Kari<blockquote>old</blockquote></div>'),
    `<div>Yes<br />${folded('Signature', '-- <br />Kari')}${folded('Quoted text', '<blockquote>old</blockquote>')}</div>`,
    'what is quoted below it is none of it',
  );
  t.equal(
    fold('<div>Yes<br>-- <br>Kari</div><div class="gmail_quote"><blockquote>old</blockquote></div>'),
    `<div>Yes<br />${folded('Signature', '-- <br />Kari')}</div>${folded('Quoted text', '<div><blockquote>old</blockquote></div>')}`,
    'nor is what comes after it has ended',
  );
  for (const html of ['<p>a -- b</p>', '<p>a<b>--</b><br>b</p>', '<p>-- <b>b</b></p>', '<p>--</p>']) {
    t.notMatch(
      fold(`<p>Yes</p>${html}`).replace(/<details><summary>Signature<\/summary><p>--<\/p><\/details>$/, ''),
      'details',
      html,
    );
  }
  t.match(fold('<p>-- <br>x</p>'.repeat(3)).split('<details>').length, 2, 'once');
  // Processor time, which other processes of a loaded machine lengthen less.
  const began = processorMs();
  fold('<div>-- </div>'.repeat(50_000));
  t.ok(processorMs() - began < 5_000);
});

t.test('words of attributes are compared at a bounded cost', (t) => {
  const rules = '[title~=x]{display:none} [class~=x]{display:none}';
  const seen = htmlToText(
    `<style>${rules}</style><p title="a x">Hidden</p><p class="a x">Hidden</p><p title="ax">Seen</p>`,
  );
  t.equal(seen, 'Seen');
  const elements = `<div title="${'xx '.repeat(2_700)}">x`.repeat(100);
  const began = processorMs();
  readHtml(`<style>${'[title~=x] *{color:red}'.repeat(1_000)}</style>${elements}`);
  t.ok(processorMs() - began < 5_000);
  t.end();
});
