/** The properties of Microsoft Office, which Outlook obeys: those that neither hide nor move words. */

const LENGTH = '[+-]?(?:0|\\d{1,3}(?:\\.\\d{0,9})?(?:pt|px|cm|mm|%)|\\d(?:\\.\\d{0,9})?(?:in|em))';
const LENGTHS = `(?:auto|${LENGTH.replace('[+-]?', '')})(?:\\s{1,9}(?:auto|${LENGTH.replace('[+-]?', '')})){0,3}`;
const ANY = '[^]*';

const VALUES: readonly [names: string, values: string][] = [
  ['hide', 'none'],
  ['font-width', '0|100%'],
  ['(?:bidi|ansi|ascii|hansi|fareast)-font-size', '(?:[6-9]|\\d{2})(?:\\.\\d{0,9})?pt|\\d{2}(?:\\.\\d{0,9})?px'],
  ['(?:margin-(?:top|bottom|left|right)-alt|padding-(?:top-|bottom-|left-|right-)?alt|table-[lr]space)', LENGTHS],
  ['text-raise', '[0-3]?\\d(?:\\.\\d{0,9})?(?:pt|px)|0'],
  ['element', 'none|para-border-div'],
  ['special-character', 'line-break|footnote'],
  ['highlight', 'yellow'],
  ['color-alt', 'windowtext|auto|black'],
  ['style-textfill-type', 'solid|none'],
  ['style-textfill-fill-color', 'black|windowtext|#000000'],
  ['style-textfill-fill-alpha', '100(?:\\.0{1,9})?%'],
  ['style-textfill-fill-themecolor', 'text[12]|dark[12]'],
  ['(?:shading|pattern)', 'white|windowtext|auto|solid auto|gray-\\d{1,2} auto|white clear'],
  ['line-height-alt', '(?:[6-9]|\\d{2,3})(?:\\.\\d{0,9})?p[tx]'],
  ['border(?:-(?:top|right|bottom|left|between))?(?:-[a-z]{1,9})?-alt', '[^(]{0,60}'],
  ['font-kerning', '[\\d.]{1,6}pt'],
  [
    '(?:ansi|ascii|hansi|bidi|fareast|symbol|generic|default)-(?:font-family|language|theme-font|font-style|font-weight|props|props-.*)',
    ANY,
  ],
  ['style-(?:name|priority|unhide|qformat|parent|link|type|next|noshow|update|default|locked|alt)', ANY],
  ['(?:text-underline|no-proof|add-space|list|list-.*|level-.*|pagination|break-type|layout-grid-.*)', ANY],
  ['(?:font-(?:pitch|signature|charset|alt|format|src|info.*)|ligatures|numeral-.*|spacerun|tab-count|bookmark)', ANY],
  ['(?:outline-level|theme(?:color|tint|shade).*|header-margin|footer-margin|paper-source|page-.*|gutter-.*)', ANY],
  [
    '(?:line-height-rule|height-rule|yfti-.*|cellspacing|table-layout-alt|table-anchor-.*|displayed-.*|number-format)',
    ANY,
  ],
  [
    '(?:ascii-.*|width-(?:source|alt|percent)|height-(?:source|alt|percent)|protection|rotate|background-source|prop-change)',
    ANY,
  ],
  [
    '(?:tstyle-.*|table-(?:overlap|bspace|tspace|dir)|para-margin.*|char-type|hyphenate|line-break-override|outline-parent.*)',
    ANY,
  ],
  [
    '(?:footnote-.*|endnote-.*|title-page|even-.*|columns|section|wrap-style|padding-between|border-.*color|ignore|text-animation)',
    ANY,
  ],
];

const KNOWN = VALUES.map(([names, values]): [RegExp, RegExp] => [
  new RegExp(`^mso-${names}$`),
  new RegExp(`^(?:${values}|inherit|initial|unset)$`),
]);

export const isKnownToOutlook = (name: string, value: string): boolean =>
  name.length <= 60 && KNOWN.some(([names, values]) => names.test(name) && values.test(value));
