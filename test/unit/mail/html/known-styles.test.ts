/** Words under styles that are not known to leave them visible and in place are marked. */

import t from 'tap';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';

const inline = (style: string) => `<p>Please do <span style="${style}">not</span> pay.</p>`;
const sheet = (css: string, span = '<span class="n">not</span>') =>
  `<style>${css}</style><p>Please do ${span} pay.</p>`;

const DOUBTFUL: Record<string, string> = {
  'a size with an exponent': inline('display:block;overflow:hidden;height:1e-9px'),
  'a unit that is not read': inline('display:block;overflow:hidden;height:0q'),
  'a display that browsers drop': inline('display:none;display:inline-foo'),
  'a size that browsers drop': inline('font-size:0;font-size:xlarge'),
  'an offset that browsers drop': inline('position:relative;left:-9999px;left:none'),
  'an overflow that browsers drop': inline('height:0;overflow:hidden;overflow:shown'),
  'a transformation that browsers drop': inline('transform:scale(0);transform:big'),
  'a number that is a name': inline('opacity:0;opacity:\\31'),
  'a blank that is none': inline('display:none;display:inline\u00a0'),
  'a property after such a blank': inline('display:none;\u00a0display:inline'),
  'a letter that is no letter of a value': inline('display:none;display:bloc\u212a'),
  'a logical margin': inline('margin-inline-start:-9999px'),
  'a logical offset': inline('position:relative;inset-inline-start:-9999px'),
  'a logical size': inline('display:block;overflow:hidden;block-size:0'),
  'a negative margin': inline('margin:0 0 0 -300px'),
  'a far margin': inline('margin-left:99999px'),
  'a far padding': inline('padding-left:9999em'),
  'a far indent': inline('display:block;text-indent:5000px'),
  'a wide border': inline('border-left:99999px solid #fff'),
  'a move': inline('translate:-999px'),
  'a path': inline('offset-path:path("M-999 0")'),
  containment: inline('display:block;contain:strict'),
  'a raise': inline('vertical-align:9999px'),
  'a stroke': inline('-webkit-text-stroke:20px #fff'),
  'an adjusted size': inline('font-size-adjust:0'),
  'a shorthand over a size': inline('font-size:16px;font:0/0 a'),
  'a cut height': inline('display:block;overflow:hidden;height:2px'),
  'a cut line': inline('display:block;width:2px;overflow:hidden;white-space:nowrap'),
  'a shadow over it': inline('background:#000;color:#fff;box-shadow:inset 0 0 0 999px #fff'),
  'a picture behind it': inline('background:url(https://x.test/a.png) no-repeat center/cover #000;color:#fff'),
  'a picture behind all': '<table background="cid:a"><tr><td>not</td></tr></table>',
  'a gradient of its colour': inline('background:#000 linear-gradient(#fff,#fff);color:#fff'),
  'a gradient that ends in its colour': inline('background-image:linear-gradient(to right,#000,#fff);color:#fff'),
  'a gradient of a colour that is not read': inline('background:linear-gradient(var(--a),#000);color:#fff'),
  'a gradient that lets its colour through': inline('background:linear-gradient(transparent,#000);color:#fff'),
  'two gradients': inline('background:linear-gradient(#fff,#fff),linear-gradient(#000,#000);color:#fff'),
  'a position': inline('position:absolute;top:0'),
  'all at once': inline('all:unset'),
  'what Outlook hides': inline('mso-hide:all'),
  'another order': inline('order:-1'),
  'a reversed row': inline('display:flex;flex-direction:row-reverse'),
  'from right to left': inline('direction:rtl;unicode-bidi:bidi-override'),
  'from right to left, without more': inline('direction:rtl'),
  'an element from right to left': '<p>Please do <bdo dir="rtl">not</bdo> pay.</p>',
  'in place of a film': '<p>Please do <video>not</video> pay.</p>',
  'in place of a sound': '<p>Please do <audio>not</audio> pay.</p>',
  'in place of a meter': '<p>Please do <meter>not</meter> pay.</p>',
  'in place of a bar': '<p>Please do <progress>not</progress> pay.</p>',
  'in place of ruby': '<p>Please do <ruby>x<rp>not</rp></ruby> pay.</p>',
  'a class beyond ASCII': sheet('.n\u00e9{display:none}', '<span class="n\u00e9">not</span>'),
  'a class by an escape': sheet('.\\6e{display:none}'),
  'an at-rule by an escape': sheet('@m\\65 dia all{.n{display:none}}'),
  'an animation by an escape': sheet('@k\\65 yframes k{to{opacity:0}} .n{animation:k 1s forwards}'),
  'a string that a form feed ends': sheet('p{x:"\f} .n{display:none} p{x:"\f}'),
  'a string that a carriage return ends': sheet('p{x:"\r} .n{display:none} p{x:"\r}'),
  'a sheet of another type': `<style type="x/y">.n{display:inline!important}</style>${sheet('.n{display:none}')}`,
  'a sheet of another title': `<style title="a"></style><style title="b">.n{display:inline!important}</style>${sheet('.n{display:none}')}`,
  'a class after a blank that is none': sheet(
    '.n{display:inline!important}',
    '<i class="x\u00a0n" style="display:none">not</i>',
  ),
  'an unknown property of a rule': sheet('.n{some-property:1}'),
};

t.test('what styles may hide or move is marked', (t) => {
  for (const [name, html] of Object.entries(DOUBTFUL)) {
    const { text, isPlain } = reviewHtml(html);
    t.match(text, /\[(?:possibly )?hidden: not\]/, name);
    t.equal(isPlain, false, name);
  }
  t.end();
});

t.test('the work is bounded', (t) => {
  const start = performance.now();
  for (const value of [
    '1'.repeat(7_000),
    '1 '.repeat(3_500),
    'a('.repeat(3_500),
    'rgb('.repeat(1_700),
    '0.'.repeat(3_500),
  ]) {
    for (const name of [
      'box-shadow',
      'border',
      'margin',
      'width',
      'flex',
      'list-style',
      'letter-spacing',
      'overflow',
      'background-image:linear-gradient(#000,#fff);background-image',
    ]) {
      reviewHtml(inline(`${name}:${value}`));
    }
  }
  t.ok(performance.now() - start < 5_000, `${Math.round(performance.now() - start)} ms`);
  t.end();
});

t.test('what mail uses is not marked', (t) => {
  const styles = [
    'margin:0cm 0cm 8pt;font:bold 12px/1.5 \'Segoe UI\',Arial;font-size:11.0pt;mso-fareast-font-family:"\uff2d\uff33"',
    'padding:12px 30px;border:1px solid #e0e0e0;border-radius:4px;background:#06c;color:#fff;display:inline-block',
    'width:100%;max-width:600px;min-width:100%!important;margin:0 auto;text-align:center;vertical-align:middle',
    '-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%;mso-line-height-rule:exactly;line-height:1.5',
    'box-shadow:0 2px 4px rgba(0,0,0,.1);letter-spacing:-0.5px;text-decoration:none;word-break:break-word',
    'box-shadow:0 1px 2px rgba(0,0,0,.1);text-decoration:underline #06c;outline:0;text-shadow:0 1px 0 #fff',
    'box-shadow:0 4px 24px rgba(0,0,0,.08);text-decoration:line-through;border-bottom:2px solid #eee;opacity:.8',
    'box-shadow:0 10px 15px -3px rgb(0 0 0 / 0.1), 0 4px 6px -4px rgb(0 0 0 / 0.1);text-underline-offset:3px',
    'mso-margin-top-alt:auto;mso-bidi-font-size:11.0pt;mso-element:para-border-div;margin-left:.5in;text-indent:-.25in',
    'border-top:solid #E1E1E1 1.0pt;border-collapse:collapse;mso-table-lspace:0pt;mso-padding-alt:0 0;*zoom:1',
    'overflow:hidden;border-radius:8px;background:linear-gradient(90deg, #4f46e5, rgb(124, 58, 237) 80%);color:#fff',
    'width:calc(100% - 20px);position:relative;top:0;z-index:1;text-transform:uppercase;white-space:nowrap;outline:none',
    'display:flex;flex-direction:row;justify-content:space-between;transition:all .2s;font-weight:300;opacity:.8',
    'page:WordSection1;tab-stops:36.0pt;mso-list:l0 level1 lfo1;font-family:Calibri,sans-serif',
  ];
  for (const style of styles) {
    t.notMatch(reviewHtml(inline(style.replaceAll('"', '&quot;'))).text, /hidden/, style);
    t.notMatch(reviewHtml(sheet(`.n{${style}}`)).text, /hidden/, style);
  }
  t.end();
});
