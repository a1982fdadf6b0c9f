/** Sanitised HTML, forwarded and read again, shows what the mail showed. */

import t from 'tap';
import { readHtml } from '../../../../src/mail/html/read-html.ts';
import { sanitizeMailHtml } from '../../../../src/mail/html/sanitize-html.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { everydayMails } from '../../../everyday/mails.ts';
import { linesOf } from '../../../harness/lines.ts';

const wordsOf = (html: string): string[] => readHtml(html).text.match(/[\p{L}\p{N}]+/gu) ?? [];

const LINK = 'href="https://shop.example/deals?x=1"';

const CASES: Record<string, string> = {
  shorthand: `<a ${LINK} style="background:#06c;color:#fff">See all deals</a>`,
  'shorthand over another colour': '<p style="background-color:#fff;background:#06c;color:#fff">Seen</p>',
  'shorthand in words': '<p style="BACKGROUND : no-repeat center/cover rgb(0, 102, 204); color:white">Seen</p>',
  class: `<style>.b{background:#06c;color:#fff}</style><a ${LINK} class="b">See all deals</a>`,
  'background by class, colour inline': `<style>td.b{background-color:#06c}</style><table><tr><td class="b"><a ${LINK} style="color:#fff">See</a></td></tr></table>`,
  'colour by class': '<style>.w{color:#fff}</style><div style="background:#000"><p class="w">Seen</p></div>',
  'body bgcolor': '<html><body bgcolor="#112233" text="#ffffff"><p>Seen</p><p style="color:#fff">too</p></body></html>',
  'body style': '<body style="background-color:#123;color:#fff"><font color="#fefefe">Seen</font></body>',
  'body by style sheet': '<style>body{background:#123} p{color:#fff}</style><body><p>Seen</p></body>',
  gradient: `<a ${LINK} style="background-image:linear-gradient(90deg,#06c,#09f);color:#fff">See</a>`,
  'gradient as shorthand': `<a ${LINK} style="background:linear-gradient(#06c,#09f);color:#fff">See</a>`,
  'image with a colour below': '<td><div style="background:#06c url(https://x.test/a.png);color:#fff">Seen</div>',
  image: '<div style="background:url(https://x.test/a.png);color:#eee">Seen <b style="color:#fff">too</b></div>',
  'image by attribute': '<table background="cid:x"><tr><td style="color:#fff">Seen</td></tr></table>',
  'half transparent': '<div style="background:rgba(0,0,0,.6);color:#fff">Seen</div>',
  'a colour that cannot be read': '<div style="background:var(--brand);color:#fff">Seen</div>',
  'text of a colour that cannot be read': '<div style="background:#000"><p style="color:var(--light)">Seen</p></div>',
  button: '<div style="color:#fff"><button style="background:#06c">Seen</button></div>',
  'link that loses its address': '<div style="color:#fff"><a href="tel:1">Seen</a></div>',
  'size by class': '<style>.s{font-size:14px}</style><div style="font-size:0"><span class="s">Seen</span></div>',
  'shown by class':
    '<style>.s{display:block !important;max-height:none!important}</style><div class="s" style="display:none;max-height:0">Seen</div>',
  'black within white within black':
    '<div style="background:#000;color:#fff">a<div style="background:#fff;color:#000">b<i style="background:black;color:white">c</i></div></div>',
};

t.test('no visible word is lost, however often it is sanitised', async (t) => {
  for (const [name, html] of Object.entries(CASES)) {
    const words = wordsOf(html);
    t.ok(words.length > 0, `${name}: seen`);
    const once = sanitizeMailHtml(html);
    t.same(wordsOf(once), words, `${name}: ${once}`);
    t.notOk(readHtml(once).hasHidden, `${name}: nothing is hidden`);
    t.notMatch(once, /url\(|gradient|var\(|class=/, name);
    t.equal(sanitizeMailHtml(once), once, `${name}: again`);
  }
  for (const [name, raw] of Object.entries(everydayMails)) {
    const { html } = await parseMail(Buffer.from(raw, 'latin1'));
    if (html === null) continue;
    const once = sanitizeMailHtml(html);
    t.same(wordsOf(once), wordsOf(html), name);
    t.same(wordsOf(sanitizeMailHtml(once)), wordsOf(html), `${name}, again`);
  }
});

t.test('backgrounds are kept as colours', async (t) => {
  const kept: [html: string, written: RegExp][] = [
    ['<p style="background:#06c;color:#fff">x</p>', /<p style="color:#fff;background-color:#06c">x/],
    [
      '<p style="background:#06c url(a.png) no-repeat;color:#fff">x</p>',
      /<p style="color:#fff;background-color:#06c">x/,
    ],
    [
      '<style>.b{background:#06c;color:#fff}</style><p class="b">x</p>',
      /<p style="background-color:#06c;color:#fff">x/,
    ],
    ['<body bgcolor="#112233" text="white"><p>x</p></body>', /<div [^>]*style="background-color:#123;color:#fff"><p>x/],
    ['<div style="background:url(a.png);color:#fff">x</div>', /<div style="color:#000;background-color:#fff">x/],
  ];
  for (const [html, written] of kept) t.match(sanitizeMailHtml(html), written, html);
});

t.test('what is hidden by colours that are known stays hidden', async (t) => {
  const hidden = linesOf`
    <body bgcolor="#000000"><p style="color:#000">§</p></body>
    <style>.b{background:#06c} .c{color:#06c}</style><div class="b"><p class="c">§</p></div>
    <div style="background:url(a.png)"><p style="background:#fff;color:#fff">§</p></div>
    <div style="color:#fff"><a href="https://x.test/" style="color:inherit">§</a></div>
    <div style="background:none;color:#fff">§</div>
    <div style="background-color:transparent;background-image:none;color:#fff">§</div>
  `;
  for (const way of hidden) {
    const html = way.replace('§', 'Ignore all');
    t.equal(
      readHtml(html)
        .text.replace(/\[.*\]/, '')
        .trim(),
      '',
      way,
    );
    t.notMatch(sanitizeMailHtml(html), /Ignore/, way);
  }
});
