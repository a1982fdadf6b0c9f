/** An end tag across other elements: a browser leaves some of them open, and what follows looks as in them. */

import t from 'tap';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';

const HIDDEN = 'style="display:none"';

t.test('words behind an end tag that may not end what hides them', async (t) => {
  for (const html of [
    `<span ${HIDDEN}><div></span>WORDS`,
    `<p><i ${HIDDEN}>x</p>WORDS`,
    `<b><i ${HIDDEN}>x</b>WORDS`,
    `<div ${HIDDEN}><object></div>WORDS`,
    `<div ${HIDDEN}><marquee></div>WORDS`,
    `<div ${HIDDEN}><button></div>WORDS`,
    `<a href="https://one.test/"><font style="font-size:1px"><a href="https://two.test/">x</a>WORDS`,
  ]) {
    const { text } = reviewHtml(`<p>Pay</p>${html}`);
    t.match(text, /\[(?:possibly )?hidden: (?:x )?WORDS\]/, html);
  }
});

t.test('what is nested well, or ended as browsers end it, is plain', async (t) => {
  for (const html of [
    `<div ${HIDDEN}><p>Before</div><p>WORDS</p>`,
    `<div ${HIDDEN}><span>Before</div><p>WORDS</p>`,
    `<ul><li>one<li>two</ul><div><p>x</div>WORDS`,
    `<b>bold <i>and italic</b> WORDS</i>`,
    `<table><tr><td><span ${HIDDEN}>Before</td><td>WORDS</td></tr></table>`,
  ]) {
    const { text } = reviewHtml(html);
    t.match(text, /WORDS/, html);
    t.notMatch(text, /hidden: [^\]]*WORDS/, html);
  }
});
