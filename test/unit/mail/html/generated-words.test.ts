/** Words that styles write are listed, or the part is no part that can be approved. */

import t from 'tap';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';

const review = (css: string) => reviewHtml(`<style>${css}</style><p title="Pay" class="q">Benign</p>`);

const UNLISTED: Record<string, string> = {
  'an attribute': 'p::after{content:attr(class)}',
  'a variable': 'p{--x:"SECRET"} p::after{content:var(--x)}',
  'a counter': 'p::after{content:counter(x,upper-latin)}',
  'several strings': 'p::after{content:"SEC" "RET"}',
  'a string after another value': 'p::after{content:open-quote "SECRET"}',
  'an alternative text': 'p::after{content:url(cid:1) / "SECRET"}',
  'an escaped property': 'p::after{c\\6fntent:"SEC" "RET"}',
  'an escaped property with one string': 'p::after{\\63 ontent:"SECRET"}',
  'a sign of a list': 'li{list-style:"SECRET"}',
  'a sign of a list by its type': 'li{list-style-type:"SECRET"}',
  'an escaped sign of a list': 'li{list-style-type:"\\53 ECRET"}',
  'a style of counters': '@counter-style x{system:cyclic;symbols:"SECRET"} li{list-style:x}',
  'quotes of words': 'q{quotes:"SECRET" "x"} q::before{content:open-quote}',
  'a picture of words': 'p{background:url(data:image/svg+xml;base64,PHN2Zz4=)}',
  'a set of pictures': 'p::after{content:image-set("x.png" 1x)}',
  'a style sheet in an address': '@import "data:text/css,p%7Bdisplay:none%7D";',
  'what follows a cut text': 'p{text-overflow:"SECRET"}',
};

t.test('words that are written otherwise than in one string are not whole', (t) => {
  for (const [name, css] of Object.entries(UNLISTED)) t.equal(review(css).isWhole, false, name);
  t.equal(reviewHtml('<p>x</p><ul style="list-style-type:\'SECRET\'"><li>x</ul>').isWhole, false);
  t.equal(reviewHtml('<p>x</p><img src="data:image/svg+xml,%3Csvg%3E">').isWhole, false);
  t.equal(reviewHtml('<p>x</p><link rel=stylesheet href="data:text/css,p{}">').isWhole, false);
  t.end();
});

t.test('one string is listed as it is displayed', (t) => {
  for (const css of [
    'p::after{content:"SECRET words"}',
    "p::after{content /* x */ : 'SECRET words' !important}",
    'p::after{content:"\\53 ECRET words"}',
    'p::after{content:"SECRET words',
    'p::after{CONTENT:"a\\"SECRET words"}',
  ]) {
    const { text, isWhole } = review(css);
    t.ok(!isWhole || text.includes('SECRET words'), css);
  }
  t.end();
});

t.test('what newsletters write is whole and adds nothing', (t) => {
  for (const css of [
    'p::after{content:""} q::before{content:none} a:before{content:"\\2022";content:normal}',
    'q{quotes:none} blockquote{quotes:"\\201C" "\\201D"} ul{list-style:none} li{list-style:square url("cid:1")}',
    'p{justify-content:center;align-content:start} @font-face{font-family:"A B";src:local("A B")}',
  ]) {
    const { text, isWhole } = review(css);
    t.equal(isWhole, true, css);
    t.equal(text.replace(/\n.*(?:Pay|cid:1|A B)\]/g, ''), 'Benign', css);
  }
  t.end();
});
