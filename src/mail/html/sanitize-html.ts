/** Sanitises untrusted HTML for display. Bounded in time; never throws. */

import sanitize from 'sanitize-html';
import { cleanHref, isWebAddress } from './anchors.ts';
import { BLOCKS, SKIPPED, VOID } from './elements.ts';
import { escapeHtml } from './escape-html.ts';
import type { Attributes } from './nesting.ts';
import { type Fold, foldOf, isSignatureMark } from './reply-folds.ts';
import { createStyleRewriter, keptHref, PLAIN_VALUE, STYLES } from './rewrite-styles.ts';
import { INITIAL_LOOK, type Look } from './visibility.ts';
import { createVisibilityTracker } from './visibility-tracker.ts';
import { walkHtml } from './walk-html.ts';

/** Nested tables reach some 40 levels; sanitize-html's parser costs the square of the depth. */
const MAX_DEPTH = 200;

/** Elements that are written; beyond them only text is. A long newsletter has a few thousand. */
const MAX_ELEMENTS = 50_000;

const PLAIN_NAME = /^[a-z][a-z0-9-]*$/;

const TAGS =
  'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'.split(
    ' ',
  );

const EMBEDDED = /^cid:/i;

const safeLink: sanitize.Transformer = (tagName, { href, ...others }) => {
  const link = keptHref(href ?? '');
  return { tagName, attribs: { ...others, ...(link !== null && { href: link }), rel: 'noopener noreferrer nofollow' } };
};

// Keeps embedded images only: loading a remote image reports the time and the reader to its host.
const embeddedImage: sanitize.Transformer = (tagName, { src, ...others }) => {
  const image = cleanHref(src ?? '');
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
    li: ['value'],
    ul: ['type'],
    blockquote: ['type'],
    time: ['datetime'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['cid'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: false,
  allowedStyles: { '*': Object.fromEntries([...STYLES].map((name) => [name, [PLAIN_VALUE]])) },
  nonTextTags: [...SKIPPED],
  transformTags: { a: safeLink, img: embeddedImage },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src && !attribs.alt,
};

const WRITTEN: ReadonlySet<string> = new Set(TAGS);

interface Written {
  /** The element that is written in its place; null for none. */
  name: string | null;
  look: Look;
  /** Whether a fold ends with it: a fold of the element, or a fold of its parent's rest. */
  fold: Fold['reach'] | null;
  /** Where it begins in what is written. */
  start: number;
  /** And what is in it. */
  content: number;
  isBlock: boolean;
}

interface Seen {
  html: string;
  /** Whether the mail has content outside of folds. */
  hasOwn: boolean;
}

/**
 * Serialises the HTML without invisible and non-text content: every element closed, none too deep.
 * @param folds whether the outermost quotes and signatures are folded
 */
const seenHtml = (html: string, folds: boolean): Seen => {
  const visibility = createVisibilityTracker(html);
  const restyle = createStyleRewriter();
  const written: Written[] = [];
  let look = INITIAL_LOOK;
  let depth = 0;
  let elements = 0;
  let seen = '';
  let isFolded = false;
  let hasOwn = false;

  const beginFold = (name: string, attributes: Attributes): Fold | null => {
    if (!folds || !visibility.isShown || VOID.has(name)) return null;
    const fold = foldOf(name, attributes);
    if (!fold || (isFolded && !endSignature())) return null;
    isFolded = true;
    seen += `<details><summary>${fold.words}</summary>`;
    return fold;
  };

  const endFold = (): void => {
    isFolded = false;
    seen += '</details>';
  };

  /** Whether a text here begins a line, and where the mark of a signature stands of which nothing follows yet. */
  let beginsLine = true;
  let markAt: number | null = null;
  /** How many elements are open around the signature; null: there is none yet; -1: it has ended. */
  let signedIn: number | null = null;

  /** Folds what is written from a mark on, and the rest of its parent: once in a mail. */
  const foldSignature = (mark: number): void => {
    markAt = null;
    if (signedIn !== null || isFolded) return;
    const last = written.at(-1);
    // A paragraph holds no fold.
    const isWhole = last?.name === 'p' && last.content === mark;
    const at = isWhole ? last.start : mark;
    signedIn = written.length - Number(isWhole);
    const parent = written[signedIn - 1];
    isFolded = true;
    if (parent) parent.fold = 'rest';
    seen = `${seen.slice(0, at)}<details><summary>Signature</summary>${seen.slice(at)}`;
  };

  /** What is quoted below a signature is none of it. @returns whether one was open here */
  const endSignature = (): boolean => {
    if (signedIn !== written.length) return false;
    const parent = written.at(-1);
    if (parent) parent.fold = null;
    signedIn = -1;
    endFold();
    return true;
  };

  const openAs = (name: string, attributes: Attributes): Pick<Written, 'name' | 'look'> => {
    const isBounded = depth < MAX_DEPTH && elements < MAX_ELEMENTS && PLAIN_NAME.test(name);
    if (!isBounded || !visibility.isShown || SKIPPED.has(name)) return { name: null, look };
    const restyled = restyle(name, attributes, visibility.look, look);
    // The page itself and buttons are replaced by a `div` or `span` where their background affects the text in them.
    const substitute = BLOCKS.has(name) ? 'div' : 'span';
    const tag = WRITTEN.has(name) ? name : restyled.isNeeded && !VOID.has(name) ? substitute : null;
    if (tag === null) return { name: null, look };
    depth += 1;
    elements += 1;
    seen += `<${tag}`;
    for (const [attribute, value] of restyled.attributes) {
      if (PLAIN_NAME.test(attribute)) seen += ` ${attribute}="${escapeHtml(value)}"`;
    }
    seen += '>';
    return { name: tag, look: restyled.look };
  };

  walkHtml(html, {
    open: (name, attributes) => {
      visibility.open(name, attributes);
      const isBreak = name === 'br' || BLOCKS.has(name);
      if (markAt !== null && isBreak) foldSignature(markAt);
      else if (!VOID.has(name)) markAt = null;
      beginsLine ||= isBreak;
      const start = seen.length;
      const fold = beginFold(name, attributes);
      const parent = written.at(-1);
      if (fold?.reach === 'rest' && parent) parent.fold = 'rest';
      const opened = openAs(name, attributes);
      hasOwn ||= !isFolded && opened.name === 'img';
      written.push({
        name: opened.name,
        look,
        fold: fold?.reach === 'element' ? 'element' : null,
        start,
        content: seen.length,
        isBlock: BLOCKS.has(name),
      });
      look = opened.look;
    },
    close: () => {
      visibility.close();
      const opened = written.pop();
      look = opened?.look ?? look;
      if (opened?.fold === 'rest') endFold();
      if (signedIn === written.length + 1) signedIn = -1;
      if (opened && opened.name !== null) {
        depth -= 1;
        if (!VOID.has(opened.name)) seen += `</${opened.name}>`;
      }
      if (opened?.fold === 'element') endFold();
      beginsLine ||= opened?.isBlock === true;
      if (markAt === null || !opened) return;
      // Alone in a block, what is below the block is the signature.
      markAt = Math.min(markAt, opened.start);
      if (opened.isBlock) foldSignature(markAt);
    },
    text: (text) => {
      if (!visibility.isTextSeen) return;
      hasOwn ||= !isFolded && text.trim() !== '';
      if (text.trim() !== '') {
        markAt = folds && beginsLine && isSignatureMark(text) ? seen.length : null;
        beginsLine = false;
      }
      seen += escapeHtml(text);
    },
  });
  // What stands at the root ends with the mail.
  endSignature();
  return { html: seen, hasOwn };
};

/**
 * Sanitises an HTML part: keeps formatting, links to http, https and mailto, and embedded images (`cid:`). Removes
 * scripts, event handlers, forms, frames, style sheets and every remote resource; also hidden text, some of which would
 * become visible without the style sheet.
 */
export const sanitizeMailHtml = (html: string): string => sanitizeWith(html, SANITIZE);

export interface FramedHtml {
  html: string;
  /** Images of other hosts, kept or removed. */
  remoteImages: number;
}

/**
 * Sanitises for a reader's frame: counts remote images, and keeps them where the reader asked for them. Folds quotes
 * and signatures if `folds`; held mail is shown whole.
 */
export const sanitizeForFrame = (html: string, keepsRemote: boolean, folds = false): FramedHtml => {
  let remoteImages = 0;
  const image: sanitize.Transformer = (tagName, attributes) => {
    const { src, ...others } = attributes;
    if (!isWebAddress(cleanHref(src ?? ''))) return embeddedImage(tagName, attributes);
    remoteImages += 1;
    return { tagName, attribs: { ...others, ...(keepsRemote && { src: cleanHref(src ?? '') }) } };
  };
  const framed = sanitizeWith(
    html,
    {
      ...SANITIZE,
      allowedSchemesByTag: { img: keepsRemote ? ['cid', 'http', 'https'] : ['cid'] },
      transformTags: { ...SANITIZE.transformTags, img: image },
    },
    folds,
  );
  return { html: framed, remoteImages };
};

const sanitizeWith = (html: string, options: sanitize.IOptions, folds = false): string => {
  const seen = seenHtml(html, folds);
  // A mail that consists of one quote is shown unfolded.
  return sanitize(folds && !seen.hasOwn ? seenHtml(html, false).html : seen.html, options);
};
