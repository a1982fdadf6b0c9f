/** Words that what is around them may cover, cut, or display in another order are marked, whose style it is. */

import t from 'tap';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';

const PAGE = 'We will not<br>pay';
const over = (style: string, text = '') => `<p>${PAGE}</p><div style="${style}">${text}</div>`;
const beside = (style: string, css = '') =>
  `<style>${css}</style><p>We will not<br><b class="n" style="${style}">pay</b></p>`;
const table = (head: string) => `<table>${head}<tr><td>We will</td><td>not</td><td>pay</td></tr></table>`;
const BOX_OVER = '<div style="position:relative;background:#fff">pay</div>';
const SHADOWS = Array.from({ length: 30 }, (_, n) => `-${n}px 0 #fff`).join();

/** By what is done to words of other elements. */
const COVERING: Record<string, string> = {
  'a position': over('position:absolute;top:0;width:99%;height:99%;background:#fff'),
  'a negative margin': over('margin-top:-40px;height:40px;background:#fff'),
  'a picture with one': `<p>${PAGE}</p><img src="cid:a" height="40" style="margin-top:-40px">`,
  'a transformation': over('transform:scale(9);background:#fff'),
  'a reflection': over('-webkit-box-reflect:above'),
  'a place in a grid': over('grid-area:1/1'),
  'a filter': over('filter:drop-shadow(0 -40px 0 #fff)'),
  'a property that is not known': over('some-property:1'),
  shadows: beside(`text-shadow:${SHADOWS}`),
  'a far shadow': beside('text-shadow:0 -20px 0 #fff'),
  'a spread shadow': beside('display:inline-block;box-shadow:0 0 0 40px #fff'),
  'a moved shadow': beside('display:inline-block;box-shadow:0 -40px #fff'),
  'an outline': beside('outline:40px solid #fff'),
  'an outline apart': beside('outline:4px solid #fff;outline-offset:-20px'),
  'a border in a line': beside('border-top:40px solid #fff;position:relative'),
  'a border by its picture': beside('border:1px solid;border-image:linear-gradient(#fff,#fff) 1/1/60px'),
  'a border of a logical side': beside('border-block:9999px solid #fff'),
  'a padding in a line': beside('padding-top:20px;background:#fff'),
  'a padding in the next line': `<div>${PAGE} not</div><div><b style="padding:20px;background:#fff">x</b></div>`,
  'a padding by a condition': beside('', '@media all{.n{padding-top:20px;background:#fff}}'),
  'a line of no height': `<p>We will not</p><div style="line-height:0"><b style="background:#fff">pay</b></div>`,
  'a thick line': beside('text-decoration:underline 90px #fff'),
  'a stroke': beside('-webkit-text-stroke:40px #fff'),
  'content that is added': beside('', '.n::before{content:"";position:absolute;background:#fff}'),
  'an animation': beside('', '@keyframes k{to{transform:scale(9)}} .n{animation:k 1s;background:#fff}'),
  'small moves': `<p>not<br>${'<sup style="position:relative;top:-8px">'.repeat(3)}x</sup></sup></sup></p>`,
  'a column': table('<col><col style="visibility:collapse"><col>'),
  'a column by a rule': `<style>.n{visibility:collapse}</style>${table('<colgroup class="n"></colgroup>')}`,
  'a column without width': table('<col><col width="0"><col>'),
  'the background of a column': table('<col><col style="background:#000"><col>'),
  'a wide cell': '<table><tr><td width="9000"></td><td>not</td></tr></table>',
  'a dialog': `<p>${PAGE}</p><dialog open><br></dialog>`,
  'a drawing': `<p>${PAGE}</p><svg style="overflow:visible"><rect width="999" height="999"></rect></svg>`,
  'what Outlook alone hides':
    '<!--[if mso]><div style="display:none"><![endif]--><p>not</p><!--[if mso]></div><![endif]-->',
  'a colour of Outlook': '<!--[if mso]><font color="#ffffff"><![endif]--><p>not</p>',
  'a drawing of Outlook': '<p>not</p><!--[if mso]><v:rect style="position:absolute;width:600px"></v:rect><![endif]-->',
  'a box of no height': '<div style="height:0;position:relative"><img src="cid:a" height="400"></div><p>not</p>',
  'a box in one': `<div style="height:0"><div style="position:relative;background:#fff;height:90px"></div></div><p>not</p>`,
};

/** By what is done to words in the element. */
const COVERED: Record<string, string> = {
  'a line through': '<p>We will <b style="text-decoration:line-through #fff 22px">not</b> pay</p>',
  'a line of another colour': '<p>We will <s style="text-decoration-color:#fff">not</s> pay</p>',
  'a line by its thickness': '<p>We will <u style="text-decoration-thickness:22px">not</u> pay</p>',
  'a line by its offset': '<p>We will <u style="text-underline-offset:-9px">not</u> pay</p>',
  'a line of WebKit': '<p>We will <b style="-webkit-text-decoration:underline 22px #fff">not</b> pay</p>',
  'a ratio': '<div style="aspect-ratio:1000;overflow:hidden">not</div>',
  'no height': `<p>We will</p><div style="height:0">not</div>${BOX_OVER}`,
  'no height by a condition': `<style>@media all{.n{height:0}}</style><div class="n">not</div>${BOX_OVER}`,
  'a height of one line': `<div style="height:20px">We will<br>not</div>${BOX_OVER}`,
  'a height that a padding takes': `<div style="height:20px"><div style="padding-top:30px">not</div></div>${BOX_OVER}`,
  'a height that a picture takes': `<div style="height:20px"><img src="cid:a"> not</div>${BOX_OVER}`,
  'a height of the content': '<div style="height:5px"><div style="height:100%;overflow:hidden">not</div></div>',
  'no width': '<p>We will <b style="display:inline-block;width:0">not</b> pay</p>',
  'no width in a table': '<table style="table-layout:fixed;width:1px"><tr><td>not</td></tr></table>',
  'no base in a row': '<div style="display:flex"><b style="flex:0 0 0px;overflow:hidden">not</b></div>',
  'no line': '<div style="line-height:0">not</div><div><b style="background:#fff">x</b></div>',
  'no line by a shorthand': '<p>We will <b style="font:16px/0 Arial">not</b> pay</p>',
  'a margin in a box that cuts': '<div style="overflow:hidden;width:300px"><p style="margin-left:600px">not</p></div>',
  'an indent in a box that cuts': '<div style="overflow:hidden;width:300px;text-indent:600px">not</div>',
  'margins in one another': '<div style="margin-left:900px"><div style="margin-left:900px">not</div></div>',
  'a far gap': '<div style="display:flex;gap:900px"><b>We will</b><b>not</b></div>',
  'opacities in one another': `<p>${'<b style="opacity:.3">'.repeat(3)}not</b></b></b></p>`,
  'a font of signs': '<p>We will <font face="Wingdings">not</font> pay</p>',
  'a font of signs by a style': '<p>We will <b style="font:12px Webdings">not</b> pay</p>',
  'a font of another size': '<style>@font-face{font-family:x;src:local(Arial);size-adjust:0%}</style><p>not</p>',
  'wide tabs': '<pre style="tab-size:9999">We will\t<b>not</b></pre>',
  'a raise in Outlook': '<p>We will <b style="mso-text-raise:900pt">not</b> pay</p>',
  'no colour in Outlook': '<p>We will <b style="mso-style-textfill-fill-alpha:0%">not</b> pay</p>',
  'a colour that the element does not heed': '<p style="color:#fff"><span color="#000000">not</span></p>',
  'a background that the element does not heed': '<p bgcolor="#000000" style="color:#fff">not</p>',
  'the colour of links': '<body link="#ffffff"><a href="https://x.test/">not</a>',
  'the colour of visited links': '<style>a:visited{color:#fff}</style><a href="https://x.test/">not</a>',
  'an item of no height':
    '<div style="display:flex;flex-direction:column"><b style="height:0">not</b><b style="background:#fff">x</b></div>',
  'an item of no base': '<div style="display:flex"><p style="flex:0 0 0px;min-height:0">not</p></div>',
  'a narrow column': '<table style="table-layout:fixed"><col style="width:5px"><tr><td>not</td></tr></table>',
  'a narrow cell that cuts': '<table><tr><td style="max-width:5px;overflow:hidden">not</td></tr></table>',
  'corners that cut': '<div style="border-radius:300px;overflow:hidden">not</div>',
  'an indent before a box that cuts': '<div style="overflow:hidden;margin-left:50px;text-indent:-48px">not</div>',
  'small letters in one another': `<p>${'<small>'.repeat(14)}not${'</small>'.repeat(14)}</p>`,
  'smaller letters in one another': `<p>${'<b style="font-size:smaller">'.repeat(14)}not${'</b>'.repeat(14)}</p>`,
  'letters over one another': '<p style="font-size:6px;letter-spacing:-2px">not</p>',
  'a large background': '<p>not</p><div><b style="font-size:99px;line-height:.6;background:#fff">x</b></div>',
  'a large letter': '<p>not</p><div style="font-size:99px;line-height:.6">x</div>',
  'blanks that do not break': `<p>We will${'&nbsp;'.repeat(100)}not</p>`,
  'blanks as they are written': `<pre>We will${' '.repeat(400)}not</pre>`,
  'words that pass by': '<p>We will <marquee>not</marquee> pay</p>',
};

const MOVED: Record<string, string> = {
  'a float in a line': '<p>The debt is <span style="float:right">not ours</span></p>',
  'a float before a line': '<p><span style="float:right">not</span> We will</p>',
  'a float before a line, in an element': '<p><i><span style="float:right">not</span></i> We will</p>',
  'a float behind its line': '<p>The debt is <span style="float:left">not</span></p>',
  'floats at the right': '<div style="float:right">not</div><div style="float:right">We will</div>',
  'a table at the right': '<table align="right"><tr><td>not</td></tr></table><p>We will</p>',
  'a float by a condition': '<style>@media all{.n{float:right}}</style><p><b class="n">not</b> We will</p>',
  'the foot before the rows': '<table><tfoot><tr><td>not</td></tr></tfoot><tr><td>We will</td></tr></table>',
  'a caption below': '<table><tr><td>We will</td></tr><caption>not</caption></table>',
  'a legend below': '<fieldset>We will<legend>not</legend></fieldset>',
  'a group of rows': '<div>We will</div><div style="display:table-header-group">not</div>',
  'a column of a table': '<p>We will <b style="display:table-column">not</b> pay</p>',
  'cells from the right': '<table dir="rtl"><tr><td>not</td><td>We will</td></tr></table>',
};

t.test('what may be covered, cut or moved is marked', (t) => {
  for (const [name, html] of [COVERING, COVERED, MOVED].flatMap((cases) => Object.entries(cases))) {
    const { text, isPlain } = reviewHtml(html);
    t.match(text, /hidden: [^\]]*\bnot\b/, name);
    t.equal(isPlain, false, name);
  }
  t.end();
});

const BUTTON = 'background-color:#4caf50;color:white;text-decoration:none;border-radius:5px';
const USED: Record<string, string> = {
  'a button in a line': `<p>Hello</p><p><a href="https://x.test" style="${BUTTON};padding:12px 20px">Go</a></p>`,
  'a button after a blank line': `<p>Hello<br><br><a href="https://x.test" style="${BUTTON};padding:10px 20px">Go</a>`,
  'a button in a cell': `<table><tr><td>Hello</td></tr><tr><td style="padding:20px 0"><a style="${BUTTON};padding:14px 28px">Go</a></table>`,
  'a button of borders': `<p>Hello</p><a style="${BUTTON};display:inline-block;border-top:10px solid #3869d4;border-left:18px solid #3869d4;box-shadow:0 2px 3px rgba(0,0,0,0.16)">Go</a>`,
  'a button of a height': `<a style="${BUTTON};display:inline-block;height:44px;line-height:44px;padding:0 24px">View your order</a>`,
  code: '<p>Run <code style="background:#eee;padding:2px 4px">npm i</code> <span style="background:#dfe;padding:4px 8px">paid</span></p>',
  'columns that float': `<div><div style="float:left;width:50%">One</div><div style="float:left;width:50%">Two</div></div><p>After</p>`,
  'columns at both sides': `<div style="overflow:hidden"><div style="float:left;width:50%">One</div><div style="float:right;width:50%">Two</div></div><p>After</p>`,
  'tables at both sides': `<table><tr><td><table align="left"><tr><td>One</td></tr></table><table align="right"><tr><td>Two</td></tr></table></td></tr></table>`,
  initials: `<div style="${BUTTON};width:40px;height:40px;line-height:40px">AB</div>`,
  'a spacer': '<div style="height:20px;line-height:20px;font-size:20px">&#8202;</div><p>Hi</p>',
  'a picture that may be over others':
    '<div style="position:relative;width:48px;height:48px"><img src="cid:a" width="48" height="48"></div>Ann',
  'a bar':
    '<div style="height:8px;background:#eee"><div style="height:8px;width:60%;background:#06c"></div></div><p>60%</p>',
  'a large heading': '<body style="font-size:14px;line-height:20px"><h1 style="font-size:36px">Big</h1>',
  quotes: `${'<blockquote style="margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex">'.repeat(8)}deep`,
  'a list of Word': `<p style='margin-left:.5in;text-indent:-.25in;mso-list:l0 level1 lfo1'><span style='font-family:Symbol;mso-bidi-font-family:Symbol'>·</span>Item</p>`,
  'Arabic words': '<div dir="rtl"><p>\u0645\u0631\u062d\u0628\u0627</p></div>',
  'a row': '<div style="display:flex;justify-content:space-between;gap:16px"><b>Left</b><b>Right</b></div>',
  'a card':
    '<div style="overflow:hidden;max-width:560px"><div style="padding:32px 40px"><ul style="padding-left:20px"><li>One</ul></div></div>',
  'a price': '<p><s style="color:#999">$20</s> <b style="text-decoration:line-through;color:#888">$10</b> $5</p>',
  'a link':
    '<a href="https://x.test/" style="text-decoration:underline;text-decoration-color:#06c;text-decoration-thickness:1px">More</a>',
  'visited links': '<style>a:visited{color:#954f72} .b a:visited{color:#fff}</style><a href="https://x.test/">x</a>',
  'a long address': `<div style="max-width:600px">https://x.test/${'a'.repeat(150)}</div>`,
  'a table for Outlook': `<!--[if mso | IE]><table style="width:600px"><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]--><p>Hello</p><!--[if mso | IE]></td></tr></table><![endif]-->`,
  'a padding for Outlook': `<a style="${BUTTON}"><!--[if mso]><i style="mso-font-width:-100%;mso-text-raise:30pt">&nbsp;</i><![endif]--><b style="mso-text-raise:15pt">Go</b></a>`,
  'what is added': '<style>.c:after{content:"";display:table;clear:both} .c:before{position:absolute}</style><p>x</p>',
};

t.test('what mail uses is not marked', (t) => {
  for (const [name, html] of Object.entries(USED)) t.notMatch(reviewHtml(html).text, /hidden/, name);
  t.end();
});

t.test('the work is bounded', (t) => {
  const start = performance.now();
  for (const piece of [
    '<div style="height:20px">x',
    '<div><div style="float:right">x',
    '<div style="float:right">x</div>',
    '<table align="right"><tr><td>x<col width="0">',
  ]) {
    reviewHtml(piece.repeat(10_000));
  }
  for (const value of [
    `${'1px '.repeat(2_000)}`,
    '0 0 1px #fff,'.repeat(600),
    'rgb('.repeat(1_700),
    '-'.repeat(7_000),
  ]) {
    for (const name of ['text-shadow', 'box-shadow', 'outline', 'text-decoration', 'border', 'font-family', 'mso-x']) {
      reviewHtml(`<p style="${name}:${value}">x</p>`);
    }
  }
  t.ok(performance.now() - start < 10_000, `${Math.round(performance.now() - start)} ms`);
  t.end();
});
