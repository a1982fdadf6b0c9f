/** HTML that browsers parse otherwise than the review is no part that can be approved. */

import t from 'tap';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';
import { reviewLinks } from '../../../../src/mail/html/review-links.ts';

const ATTRIBUTES = Array.from({ length: 60 }, (_, n) => `a${n}=1`).join(' ');

const LOST: Record<string, string> = {
  'a CDATA section that ends at its first >': '<![CDATA[><p>Pay</p>]]>',
  'a CDATA section without an end': '<![CDATA[><p>Pay</p>',
  'a CDATA section in a drawing': '<svg><text><![CDATA[Pay]]></text></svg>',
  'a style in a drawing': '<svg><style><a href="https://evil.test/">Pay</a></style></svg>',
  'a closed style in a drawing': '<svg><style/><text>Pay</text></style></svg>',
  'a title in a formula': '<math><title><mtext>Pay</title></math>',
  'a frame in a drawing': '<svg><iframe><p>Pay</p></iframe></svg>',
  'a style in a drawing whose parent ends': '<div><svg><desc></div></desc><style><a>Pay</a></style>',
  'a style in a selection': '<select><style></select>Pay</style>',
  'a style in a template': '<template><style>p{display:none!important}</style></template>',
  'a style that scripts take away': '<noscript><style></noscript>Pay</style>',
  'a comment that scripts take away': '<noscript><!--</noscript>Pay--></noscript>',
  'an end tag with a quote': '<p></p x="><i>Pay</i>">',
  'an end tag with the other quote': "<p></p x='><i>Pay</i>'>",
  'attributes beyond the limit': `<p ${ATTRIBUTES} style="display:none">Pay</p>`,
  'a name beyond the limit': `<p ${'x'.repeat(65)}>Pay</p><${'y'.repeat(65)}>`,
  'a style beyond the limit': `<p style="${';'.repeat(9_000)}display:none">Pay</p>`,
  'a tooltip beyond the limit': `<p title="${' x'.repeat(5_000)}Pay">x</p>`,
  'a script in a script': '<script><!--<script></script>Pay</script>',
  'depth beyond the limit': `${'<div>'.repeat(1_001)}<p style="display:none">Pay</p>`,
  'frames for the page': '<frameset><p>Pay</p></frameset>',
};

t.test('what is parsed otherwise than by browsers is not whole', (t) => {
  for (const [name, html] of Object.entries(LOST)) {
    t.equal(reviewHtml(`<p>Benign</p>${html}`).isWhole, false, name);
    t.equal(reviewLinks(`<p>Benign</p>${html}`).isWhole, false, `${name}: links`);
  }
  t.end();
});

t.test('ordinary HTML is whole', (t) => {
  const ordinary: Record<string, string> = {
    'a CDATA section': '<![CDATA[x]]><p>Pay</p>',
    'conditions of Outlook':
      '<![if !mso]><p>Pay</p><![endif]><!--[if mso]><noscript><xml></xml></noscript><![endif]-->',
    'a drawing': '<svg><text>Pay</text></svg>',
    'an embedded picture': `<img src="data:image/png;base64,${'A'.repeat(9_000)}">`,
    'a script with a comment': '<script><!-- x --></script>Pay',
    'what stands in for scripts': '<noscript><img src="https://x.test/p.gif"></noscript>Pay',
    'a style, a title': '<title>x</title><style>p{color:red}</style><p>Pay</p >',
  };
  for (const [name, html] of Object.entries(ordinary)) {
    t.equal(reviewHtml(html).isWhole, true, name);
    t.equal(reviewLinks(html).isWhole, true, `${name}: links`);
  }
  t.end();
});

t.test('names fold ASCII alone: an element with the Kelvin sign has content', (t) => {
  t.match(reviewHtml('<p>Do <lin\u212a style="display:none">not</lin\u212a> pay</p>').text, /\[hidden: not\]/);
  t.notMatch(reviewHtml('<image style="display:none">Pay').text, /hidden/);
  t.end();
});
