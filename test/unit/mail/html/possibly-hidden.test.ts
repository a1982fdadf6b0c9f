/** Text that rules hide which are not read, or read by some programs alone, is marked for who reviews a mail. */

import t from 'tap';
import { readHtml } from '../../../../src/mail/html/read-html.ts';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';
import { differingHtmlText } from '../../../../src/mail/text/differing-html.ts';

const TEXT = 'Please do not pay invoice 42.';
const page = (css: string, span = '<span class="n">not</span>') =>
  `<style>${css}</style><p>Please <b>do</b> ${span} pay invoice 42.</p>`;

const HIDE = '{display:none}';
const HIDING: Record<string, string> = {
  'a media query': page(`@media all${HIDE.replace('{', '{.n{')}}`),
  'a media query of many': page('@media screen and (min-width:1px), tty{.n{display:none}}'),
  'a condition': page('@supports (display:block){.n{display:none}}'),
  'a layer': page('@layer a{.n{display:none}}'),
  'conditions in one another': page('@media all{@supports (color:red){@media screen{.n{display:none}}}}'),
  'the media of its element':
    '<style media="(min-width:1px)">.n{display:none}</style><p>Please do <i class="n">not</i> pay invoice 42.',
  'a pseudo-class': page(`p>span:first-of-type${HIDE}`),
  'a negation': page(`span:not(.z)${HIDE}`),
  'a negation of more': page(`span:not(.x :is(.a, .b > .c))${HIDE}`),
  'a sibling': page(`b+span${HIDE}`),
  'a later sibling': page(`b ~ span${HIDE}`),
  'the start of an attribute': page(`[class^=n]${HIDE}`),
  'an attribute with a flag': page(`[class="N" i]${HIDE}`),
  'an escaped name': page(`.\\6e ${HIDE}`),
  'a name in capitals': page(`.N${HIDE}`),
  'a nested rule': page(`p{.n${HIDE}}`),
  'a nested rule by its parent': page(`.n{&:not(.z)${HIDE}}`),
  'a nested condition': page('.n{color:red;@media all{display:none}}'),
  'a list with what is not known': page(`:unknown-class(a),.n${HIDE}`),
  'a list that is long': page(`${Array.from({ length: 200 }, (_, i) => `.x${i}`).join()},.n${HIDE}`),
  'a selector that is long': page(`${'div '.repeat(100)}.n${HIDE}, span.n:not(${'.z'.repeat(300)})${HIDE}`),
  'an animation': page('@keyframes k{to{opacity:0}} .n{animation:k 1s forwards}'),
  'a rule after a thousand': page(`${'.x{color:red}'.repeat(1001)}.n${HIDE}`),
  'a rule after much': page(`${'.x{}'.repeat(40_000)}.n${HIDE}`),
  'the twentieth class and more': page(`.n${HIDE}`, `<i class="${'x '.repeat(40)}n">not</i>`),
  'a variable': page('p{--x:none} .n{display:var(--x)}'),
  'a computed size': page('.n{font-size:calc(1px - 1px)}'),
  'a small number': page('.n{font-size:1e-5px}'),
  'a colour that is not read': page('.n{color:oklch(100% 0 0)}'),
  'a mask': page('.n{-webkit-mask-image:linear-gradient(transparent,transparent)}'),
  'a clip': page('.n{clip-path:inset(49%)}'),
  'what replaces its content': page('.n{content:url(cid:1)}'),
  'a scale': page('.n{display:inline-block;transform:scale(.001)}'),
  'a zoom': page('.n{zoom:0.01}'),
  'Outlook’s styles': `<!--[if mso]><style>.n{display:none}</style><![endif]-->${page('')}`,
  'two conditions together': page(
    '@media all{.n{color:#abc}} @media screen{p{background:#abc}} @media (x){.n{color:#000}}',
  ),
  'a position and an offset': page('@media all{.n{position:absolute}} @supports (a:b){.n{left:-9999px}}'),
  'an invalid value after it': page('.n{display:none;display:seen}'),
  'an invalid size after it': page('.n{font-size:0;font-size:5xy}'),
  'a string with a bracket': page('.n{display:none} p::after{content:"} .n{display:inline} x{y:"}'),
  'a string with a comment': page('i{content:"/*"} .n{display:none} i{content:"*/"}'),
  'an escaped quote': page('.n{display:none;x:"\\";display:inline;"}'),
  'a rule in a form': `${page(`.n${HIDE}`)}<textarea><style>.n{display:inline!important}</style></textarea>`,
  'a rule in an attribute': `${page(`.n${HIDE}`)}<i title="<style>.n{display:inline!important}</style>"></i>`,
  'a rule that browsers drop': page(`.n${HIDE} ; .n{display:inline} .n,:unknown{display:inline} .n.1{display:inline}`),
  'a folded element': '<p>Please do</p><details><p>not</p></details><p>pay invoice 42.</p>',
};

t.test('what may hide a word makes the part differ and marks the word', (t) => {
  for (const [name, html] of Object.entries(HIDING)) {
    const told = differingHtmlText(TEXT, reviewHtml(html));
    t.match(told, /\[(?:possibly )?hidden:[^\]]*\bnot\b[^\]]*\]/, name);
  }
  t.end();
});

t.test('a rule that may hide nothing that is there leaves the part as it is', (t) => {
  const harmless: Record<string, string> = {
    'other elements': page(
      '@media all{.m{display:none}} i:first-child{display:none} a+i{display:none} [id^=n]{display:none}',
    ),
    'what is set to be seen': page('@media all{.n{display:inline}} span:not(.z){font-size:16px}'),
    'a state of a moment': page('a:hover,.n:hover{color:#fff} .n::before{display:none} .n:focus{opacity:0}'),
    print: page('@media print{.n{display:none}}'),
    fonts: page('@font-face{font-family:x;src:local(x)} @import "cid:x";', 'not'),
    'a dark scheme': page(
      'p{background:#fff;color:#000} @media (prefers-color-scheme:dark){p{background:#000!important;color:#fff!important} .n{color:#eee!important}}',
    ),
    'what the element overrides': page('@media all{.n{display:none}}', '<i class="n" style="display:inline">not</i>'),
    'sizes of small screens': page(
      '@media only screen and (max-width:600px){.n{width:100%!important;padding:0!important;font-size:16px!important} p{display:block!important}}',
    ),
    'fixes for programs': page(
      '#outlook a{padding:0} u + #body a, a[x-apple-data-detectors]{color:inherit!important;font-size:inherit!important} .ExternalClass *{line-height:100%}',
    ),
    'an animation that shows': page('@keyframes k{to{color:inherit}} .n{animation:k 1s}'),
  };
  for (const [name, html] of Object.entries(harmless)) {
    const told = differingHtmlText(TEXT, reviewHtml(html));
    t.notMatch(told ?? '', /hidden:/, name);
    if (name !== 'fonts') t.equal(told, null, name);
  }
  t.end();
});

t.test('agents read what certain rules leave visible', (t) => {
  const html = page('@media all{.n{display:none}} span:first-child{display:none}');
  t.equal(readHtml(html).text, TEXT);
  t.end();
});

t.test('the work is bounded', (t) => {
  const rules = Array.from(
    { length: 900 },
    (_, i) => `@media (x:${i}){.c${i % 50}{color:#${100 + i}}} b:y${i}{opacity:0}`,
  );
  const html = `<style>${rules.join('')}</style>${Array.from({ length: 8000 }, (_, i) => `<p class="c${i % 50}"><b>word</b> x</p>`).join('')}`;
  const start = performance.now();
  t.match(reviewHtml(html).text, /possibly hidden/);
  const few = `<style>@media (a){p{color:#fff}}@media (b){p{background:#fff}}@media (c){b{color:#111}}@media (d){b{background:#111}}@media (e){i{opacity:0}}@media (f){u{opacity:0}}@media (g){s{opacity:0}}</style>`;
  t.match(reviewHtml(`${few}${'<div><p>a <b>b</b> <i>c</i></p></div>'.repeat(20_000)}`).text, /possibly hidden/);
  const nested = `<style>${'a{'.repeat(60_000)}</style><p>x</p>`;
  t.equal(reviewHtml(nested).isWhole, true);
  reviewHtml(`<style>${'(['.repeat(60_000)}${'url('.repeat(1000)}</style><p>x</p>`);
  reviewHtml(`<style>${'.a:not('.repeat(15_000)}{opacity:0}</style><p>x</p>`);
  t.ok(performance.now() - start < 20_000, `${Math.round(performance.now() - start)} ms`);
  t.end();
});
