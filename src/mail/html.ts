/** HTML of strangers: made safe to show, and turned into text. Both are bounded in time and never throw. */

import { htmlToText as convert, type HtmlToTextOptions } from 'html-to-text';
import sanitize from 'sanitize-html';
import { cutAtDepth } from './html-depth.ts';

/** Characters read of an HTML part; Gmail clips what it shows at 102 KB, newsletters reach a few hundred. */
const MAX_HTML = 1024 * 1024;
/** Elements that stand open at once. The parser keeps them in a list that it shifts: its cost is the square of this. */
const MAX_OPEN = 2000;
/** Tables in tables reach some 40 levels; a walk that recurses must end long before the stack does. */
const MAX_DEPTH = 200;

/** Values of colours, lengths and names. No `url(`, no `expression(`: nothing that loads or runs. */
const PLAIN_VALUE = [/^(?!.*(?:url|expression|image|attr|var|env|element)\s*\()[\w\s#.,%()'"+/-]{1,200}$/i];

const STYLES = [
  ...['color', 'background-color', 'font', 'font-family', 'font-size', 'font-style', 'font-weight', 'line-height'],
  ...[
    'text-align',
    'text-decoration',
    'text-indent',
    'text-transform',
    'letter-spacing',
    'white-space',
    'vertical-align',
  ],
  ...['padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left', 'width', 'max-width', 'min-width'],
  ...['margin', 'margin-top', 'margin-right', 'margin-bottom', 'margin-left', 'height', 'max-height', 'min-height'],
  ...['border', 'border-top', 'border-right', 'border-bottom', 'border-left', 'border-collapse', 'border-color'],
  ...['border-radius', 'border-spacing', 'border-style', 'border-width', 'display', 'list-style-type', 'table-layout'],
];

const TAGS = [
  ...[
    'a',
    'abbr',
    'address',
    'article',
    'aside',
    'b',
    'bdi',
    'bdo',
    'big',
    'blockquote',
    'br',
    'caption',
    'center',
    'cite',
  ],
  ...[
    'code',
    'col',
    'colgroup',
    'dd',
    'del',
    'details',
    'dfn',
    'div',
    'dl',
    'dt',
    'em',
    'figcaption',
    'figure',
    'font',
  ],
  ...[
    'footer',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'header',
    'hr',
    'i',
    'img',
    'ins',
    'kbd',
    'li',
    'main',
    'mark',
    'nav',
  ],
  ...[
    'ol',
    'p',
    'pre',
    'q',
    's',
    'samp',
    'section',
    'small',
    'span',
    'strike',
    'strong',
    'sub',
    'summary',
    'sup',
    'table',
  ],
  ...['tbody', 'td', 'tfoot', 'th', 'thead', 'time', 'tr', 'tt', 'u', 'ul', 'var', 'wbr'],
];

/** A link that stands for itself. One without a scheme would lead to wherever the mail is shown. */
const ABSOLUTE = /^(?:https?:\/\/|mailto:|#)/i;
const EMBEDDED = /^cid:/i;

/** What a browser takes off before it reads an address (URL standard, section 4.4). Other blanks make it another address. */
const addressOf = (value: string | undefined): string =>
  (value ?? '').replace(/[\t\r\n]+/g, '').replace(/^[\0-\x20]+|[\0-\x20]+$/g, '');

const safeLink: sanitize.Transformer = (tagName, { href, ...others }) => {
  const link = addressOf(href);
  const kept = ABSOLUTE.test(link) ? { href: link } : {};
  return { tagName, attribs: { ...others, ...kept, rel: 'noopener noreferrer nofollow' } };
};

// An image that is not in the mail tells its host who read it, and when: only those that are in it stay.
const embeddedImage: sanitize.Transformer = (tagName, { src, ...others }) => {
  const image = addressOf(src);
  return { tagName, attribs: { ...others, ...(EMBEDDED.test(image) && { src: image }) } };
};

const SANITIZE: sanitize.IOptions = {
  allowedTags: TAGS,
  allowedAttributes: {
    '*': ['style', 'dir', 'lang', 'title', 'align', 'valign', 'width', 'height', 'bgcolor'],
    a: ['href', 'name', 'rel'],
    img: ['src', 'alt'],
    font: ['color', 'face', 'size'],
    table: ['border', 'cellpadding', 'cellspacing'],
    td: ['colspan', 'rowspan', 'nowrap'],
    th: ['colspan', 'rowspan', 'nowrap', 'scope'],
    ol: ['start', 'type'],
    ul: ['type'],
    blockquote: ['type'],
    time: ['datetime'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['cid'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: false,
  allowedStyles: { '*': Object.fromEntries(STYLES.map((name) => [name, PLAIN_VALUE])) },
  nonTextTags: [
    'script',
    'style',
    'textarea',
    'option',
    'noscript',
    'template',
    'title',
    'xmp',
    'iframe',
    'noembed',
    'noframes',
    'svg',
    'math',
  ],
  transformTags: { a: safeLink, img: embeddedImage },
  nestingLimit: MAX_DEPTH,
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src && !attribs.alt,
};

const TO_TEXT: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxInputLength: MAX_HTML, maxDepth: MAX_DEPTH, maxChildNodes: 20_000 },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', options: { uppercaseHeaderCells: false } },
  ],
};

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const bounded = (html: string): string => cutAtDepth(html.slice(0, MAX_HTML), MAX_OPEN);

/**
 * What of an HTML part may be shown: formatting, links to http, https and mailto, and images of the mail itself (`cid:`).
 * Scripts, event handlers, forms, frames, style sheets and everything that would be loaded are taken out.
 */
export const sanitizeMailHtml = (html: string): string => {
  try {
    return sanitize(bounded(html), SANITIZE);
  } catch {
    // A style that its parser refuses, or nesting beyond the stack: the words are still worth showing.
    return `<pre>${escapeHtml(htmlToText(html))}</pre>`;
  }
};

/** The text of an HTML part: blocks parted by lines, links with their address in brackets, no images. */
export const htmlToText = (html: string): string => {
  try {
    return convert(bounded(html), TO_TEXT);
  } catch {
    return '';
  }
};
