/**
 * Declarations whose effect on the visibility and the order of words is known: those that mail uses. Any other may hide
 * words. Values are bounded, so that none moves words off the page or covers others.
 */

import { isKnownToOutlook } from './outlook-styles.ts';
import { isKnownBorder, isNearShadow, isThinLine, isThinOutline, isThinThickness } from './painting.ts';

const GLOBAL = 'inherit|initial|unset|revert|revert-layer';
const ZERO = '[+-]?0{1,9}(?:\\.0{0,9})?(?:px|pt|pc|in|cm|mm|r?em|ex|ch|vw|vh|%)?';
const POINTS = '(?:\\d{1,3}(?:\\.\\d{0,9})?|\\.\\d{1,9})(?:px|pt)';
const OTHERS = '(?:\\d{1,2}(?:\\.\\d{0,9})?|\\.\\d{1,9})(?:pc|cm|mm|r?em|ex|ch|vw|vh|%)';
const INCHES = '(?:\\d(?:\\.\\d{0,9})?|\\.\\d{1,9})in';
const LENGTH = `(?:${ZERO}|${POINTS}|${OTHERS}|${INCHES})`;
/** Of lists: their sign stands before the text. */
const HANGING =
  '-(?:[1-4]?\\d(?:\\.\\d{0,9})?(?:px|pt)|0?\\.[1-5]\\d{0,9}in|[01]?(?:\\.\\d{1,9})?cm|[12](?:\\.\\d{0,9})?em)';
const SIZE = `(?:${LENGTH}|1\\d{3}(?:\\.\\d{0,9})?(?:px|pt)|10\\d(?:\\.\\d{0,9})?%|100v[wh]|auto|(?:min|max|fit)-content)`;
const COMPUTED = '(?:calc|min|max|clamp)\\([^;]{1,200}\\)';
const WORD = '[a-z-]{1,40}';
const listOf = (value: string, most: number): string => `${value}(?:\\s{1,9}${value}){0,${most - 1}}`;
const DISPLAYS =
  'none|inline|block|contents|flow-root|list-item|(?:inline-)?(?:flex|grid|table|block)|table-(?:(?:row|header|footer|column)-group|row|column|cell|caption)|-(?:webkit|ms)-(?:inline-)?(?:box|flex|flexbox)';
const OVERFLOWS = 'visible|hidden|clip|scroll|auto';
const TEXT_SIZES = 'xx-small|x-small|small|medium|large|x-large|xx-large|xxx-large|smaller|larger';
const ANY = '[^]*';

/** Properties that the look of an element is computed from, and the values that are read. */
const READ: readonly [names: string, values: string][] = [
  ['display', DISPLAYS],
  ['visibility', 'visible|hidden|collapse'],
  ['opacity', '(?:\\d{1,9}(?:\\.\\d{0,9})?|\\.\\d{1,9})%?'],
  ['overflow', listOf(`(?:${OVERFLOWS})`, 2)],
  ['overflow-x overflow-y', OVERFLOWS],
  ['font-size', `${TEXT_SIZES}|${LENGTH}|\\d{3}%`],
  ['position', 'static|relative'],
  ['left top right bottom', `${ZERO}|auto`],
  ['text-indent', `${LENGTH}|${HANGING}`],
  ['height width max-width min-width min-height', `${SIZE}|${COMPUTED}|none`],
  ['max-height', `${SIZE}|none`],
  ['line-height', `normal|${LENGTH}|\\d{1,2}(?:\\.\\d{0,9})?|\\d{3}%`],
  [
    'letter-spacing word-spacing',
    `normal|\\d(?:\\.\\d{0,9})?px|${ZERO}|-?0?\\.\\d{1,9}px|-?0?\\.0\\d{0,9}em|0?\\.\\d{1,9}em|-[12]px`,
  ],
  ['transform filter clip-path mask mask-image -webkit-mask -webkit-mask-image', 'none'],
  ['clip', 'auto'],
  ['zoom -moz-opacity -webkit-opacity -khtml-opacity', 'normal|1|1\\.0{1,9}|100%'],
  ['animation animation-name -webkit-animation -webkit-animation-name', ANY],
  ['animation-duration animation-fill-mode animation-delay animation-timing-function', ANY],
  ['color -webkit-text-fill-color background background-color background-image font', ANY],
];

/** Properties that neither hide nor move words, with the values in use. */
const HARMLESS: readonly [names: string, values: string][] = [
  ['margin', listOf(`(?:${LENGTH}|auto)`, 4)],
  ['margin-top margin-right margin-bottom margin-left', `${LENGTH}|auto`],
  ['padding', listOf(`(?:${LENGTH}|${POINTS.replace('(?:px|pt)', '')})`, 4)],
  ['padding-top padding-right padding-bottom padding-left', `${LENGTH}|\\d{1,3}`],
  [
    'border-spacing gap row-gap column-gap',
    listOf(`(?:${ZERO}|\\d{1,2}(?:\\.\\d{0,9})?(?:px|pt|%)|\\d(?:\\.\\d{0,9})?r?em)`, 2),
  ],
  ['direction', 'ltr'],
  ['unicode-bidi', 'normal|embed|isolate|plaintext'],
  ['float -ms-float', 'left|right|none'],
  ['clear', 'left|right|both|none'],
  ['order', '0'],
  ['flex-direction -webkit-flex-direction -ms-flex-direction', 'row|column'],
  ['flex-wrap -ms-flex-wrap', 'wrap|nowrap'],
  ['flex -ms-flex -webkit-flex', `(?:[\\d.]{1,5}|auto|none|${LENGTH})(?:\\s{1,9}(?:[\\d.]{1,5}|auto|${SIZE})){0,2}`],
  ['flex-grow flex-shrink', '[\\d.]{1,5}'],
  ['flex-basis', SIZE],
  [
    'justify-content align-items align-content align-self -ms-flex-pack -ms-flex-align -webkit-box-pack -webkit-box-align',
    listOf(WORD, 2),
  ],
  ['vertical-align', `baseline|top|middle|bottom|sub|super|text-top|text-bottom|-webkit-baseline-middle|${ZERO}|100%`],
  ['background-clip -webkit-background-clip background-origin', '(?:border|padding|content)-box'],
  [
    'background-position background-size background-repeat background-attachment background-position-x background-position-y',
    ANY,
  ],
  ['outline-width outline-offset', `${ZERO}|[0-4]px|thin|medium`],
  ['outline-style outline-color', ANY],
  ['text-underline-offset', 'auto|[0-8](?:\\.\\d{0,9})?px|0?\\.[1-3]\\d{0,9}em|0'],
  ['tab-size -moz-tab-size', '\\d|1[0-6]'],
  ['aspect-ratio', '(?:auto\\s{1,9})?[\\d.]{1,9}(?:\\s{0,9}/\\s{0,9}[\\d.]{1,9})?|auto'],
  ['content', 'normal|none|"[^"\\\\]*"|\'[^\'\\\\]*\''],
  ['quotes', 'none|auto'],
  ['caption-side', 'top'],
  ['text-overflow', 'clip'],
  ['text-transform', 'none|uppercase|lowercase|capitalize'],
  ['text-align -ms-text-align text-align-last', WORD],
  ['list-style list-style-type list-style-position list-style-image', '[^"\']*|[^]*url\\([^]*'],
  ['white-space', 'normal|nowrap|pre|pre-wrap|pre-line|break-spaces'],
  ['-webkit-text-size-adjust -ms-text-size-adjust -moz-text-size-adjust text-size-adjust', 'none|auto|100%'],
  ['-webkit-text-security', 'none'],
  ['-webkit-text-stroke -webkit-text-stroke-width', ZERO],
  ['font-size-adjust', 'none'],
  ['color-scheme supported-color-schemes', ANY],
  ['z-index', 'auto|\\d{1,9}'],
];
const NAMES =
  'font-family font-style font-weight font-variant font-stretch font-kerning font-feature-settings font-display src size panose-1 text-underline text-rendering word-break word-wrap overflow-wrap line-break hyphens table-layout border-collapse empty-cells cursor resize orphans widows box-sizing transition pointer-events user-select appearance object-fit image-rendering speak text-justify text-autospace layout-grid-mode punctuation-wrap tab-stops page unicode-range margin-header display-text text-underline-color will-change caret-color accent-color page-break-before page-break-after page-break-inside break-before break-after break-inside';
const PREFIXED =
  /^(?:x-|transition-|scrollbar-|-(?:webkit|moz|ms|o)-(?:font-smoothing|osx-font-smoothing|hyphens|line-break|nbsp-mode|tap-highlight-color|appearance|box-sizing|user-select|transition|interpolation-mode|word-break|word-wrap|overflow-style|overflow-scrolling|user-drag|locale|print-color-adjust)$)/;

/** What is painted beside the box or over the words. */
const PAINTED: readonly [names: RegExp, isBounded: (name: string, value: string) => boolean][] = [
  [/^(?:-(?:webkit|moz)-)?box-shadow$/, (_, value) => isNearShadow(value, false)],
  [/^text-shadow$/, (_, value) => isNearShadow(value, true)],
  [/^outline$/, (_, value) => isThinOutline(value)],
  [/^(?:-(?:webkit|moz)-)?text-decoration-thickness$/, (_, value) => isThinThickness(value)],
  [/^(?:-(?:webkit|moz)-)?text-decoration(?:-line|-style|-color|-skip|-skip-ink)?$/, (_, value) => isThinLine(value)],
  [/^(?:-(?:webkit|moz)-)?border(?:-|$)/, isKnownBorder],
];

/**
 * Properties that may hide or move the words of their own element alone; of all others it is not known that they leave
 * the words beside it as they are.
 */
const OWN =
  /^(?:display|visibility|overflow(?:-[xy])?|font.*|line-height|letter-spacing|word-.*|clip(?:-path)?|(?:-webkit-)?mask.*|(?:-\w{1,9}-)?opacity|(?:-webkit-)?animation.*|color.*|-webkit-text-(?:fill-color|security|size-adjust)|background.*|direction|unicode-bidi|order|(?:-webkit-)?flex.*|-(?:ms|o|premailer|khtml)-.*|(?:justify|align|place)-.*|-webkit-(?:box-(?:align|pack|orient|flex|lines|ordinal-group|direction)|line-clamp|font-.*|column-.*)|vertical-align|content(?:-visibility)?|contain(?:er.*)?|quotes|caption-side|text-(?:overflow|transform|align.*|wrap.*|orientation|combine-upright|emphasis.*|size-adjust|edge|box.*|autospace|spacing.*|underline-position)|list-style.*|white-space.*|line-clamp|max-lines|zoom|z-index|float|clear|hyphen.*|columns?|column-(?:count|fill|span|width)|writing-mode|counter-.*|(?:-moz-)?tab-size|touch-action|scroll.*|overscroll-.*|(?:-webkit-)?backface-visibility|mix-blend-mode|isolation|object-.*|behavior|mso-.*|v-.*|all|aspect-ratio|ruby.*)$/;
const SIZES =
  /^(?:(?:max-|min-)?(?:width|height|block-size|inline-size)|padding.*|margin.*|gap|(?:row|column)-gap|border-spacing|text-indent)$/;
/** Lengths that may move what follows off the page, or over what is before it. */
const FAR =
  /\d{4}|\d{3}(?:\.\d*)?(?!\d|\.|p[xt]|%|$|\s)|e[+-]?\d|\(|-\s{0,9}(?!(?:\d|1[0-6])(?:\.\d{0,9})?(?:p[xt])?(?:\s|$))/;
const NEAR_OFFSET = /^-?(?:\d|1[0-2])?(?:\.\d{1,9})?(?:px|pt)$|^-?0?\.\d{1,9}r?em$/;
const PLAIN_FILTER =
  /^(?:(?:alpha|opacity|blur|grayscale|brightness|contrast|saturate|sepia|invert|hue-rotate)\([^()]{0,30}\)\s{0,9}){1,9}$|^progid:/;

const VALUES: ReadonlyMap<string, RegExp> = new Map(
  [...READ, ...HARMLESS].flatMap(([names, values]) =>
    names.split(' ').map((name): [string, RegExp] => [name, new RegExp(`^(?:${values}|${GLOBAL})$`)]),
  ),
);
const HARMLESS_NAMES: ReadonlySet<string> = new Set(NAMES.split(' '));
const PLAIN = /^[\t\n\f\r\x20-\x5b\x5d-\x7e]*$/;
/** Properties with strings or names, whose values are read as they are written otherwise as well. */
const NAMING: ReadonlySet<string> = new Set(['font', 'content', 'background', 'background-image', 'list-style']);

/** Whose words a declaration may hide or move beside what is read of it; `near` moves its own by some pixels. */
export type Reach = 'none' | 'own' | 'near' | 'others';

/**
 * Classifies a declaration; the property in lower case, the value as well.
 * @param written the value with its escapes: of an identifier they make a number, and of a bracket a letter
 */
export const reachOf = (name: string, value: string, written: string): Reach => {
  // Variables act where they are used; no identifier begins with an asterisk, so that browsers drop it.
  if (name.startsWith('--') || name.startsWith('*')) return 'none';
  const isPlain = PLAIN.test(written);
  const values = VALUES.get(name);
  if (values) {
    if (values.test(value) && (NAMING.has(name) || isPlain)) return 'none';
  } else if (HARMLESS_NAMES.has(name) || PREFIXED.test(name)) return 'none';
  const painted = PAINTED.find(([names]) => names.test(name))?.[1];
  if (painted?.(name, value) && isPlain) return 'none';
  if (name.startsWith('mso-')) return isKnownToOutlook(name, value) ? 'none' : 'own';
  if (/^(?:left|top|right|bottom)$/.test(name)) return isPlain && NEAR_OFFSET.test(value) ? 'near' : 'others';
  if (SIZES.test(name)) {
    if (!isPlain || FAR.test(value)) return 'others';
    return value.includes('-') && name.startsWith('margin') ? 'near' : 'own';
  }
  return OWN.test(name) || (name === 'filter' && PLAIN_FILTER.test(value)) ? 'own' : 'others';
};
