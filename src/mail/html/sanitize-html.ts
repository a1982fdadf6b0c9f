/** Sanitises untrusted HTML for display. Bounded in time; never throws. */

import sanitize from 'sanitize-html';
import { cleanHref, isWebAddress } from './anchors.ts';
import { BLOCKS, SKIPPED, VOID } from './elements.ts';
import { escapeHtml } from './escape-html.ts';
import type { Attributes } from './nesting.ts';
import { readHtml } from './read-html.ts';
import { type Fold, foldOf } from './reply-folds.ts';
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
  // And a fold.
  nestingLimit: MAX_DEPTH + 1,
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src && !attribs.alt,
};

const WRITTEN: ReadonlySet<string> = new Set(TAGS);

interface Written {
  /** The element that is written in its place; null for none. */
  name: string | null;
  look: Look;
  /** Whether a fold ends with it: the one that it stands in, or the one that has the rest of it. */
  fold: Fold['reach'] | null;
}

interface Seen {
  html: string;
  /** Whether something is there outside of folds. */
  hasOwn: boolean;
}

/**
 * Serialises the HTML without invisible and non-text content: every element closed, none too deep.
 * @param folds whether quotes and signatures are folded, the outermost of them
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
    if (!folds || isFolded || !visibility.isShown || VOID.has(name)) return null;
    const fold = foldOf(name, attributes);
    if (!fold) return null;
    isFolded = true;
    seen += `<details><summary>${fold.words}</summary>`;
    return fold;
  };

  const endFold = (): void => {
    isFolded = false;
    seen += '</details>';
  };

  const openAs = (name: string, attributes: Attributes): Omit<Written, 'fold'> => {
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
      const fold = beginFold(name, attributes);
      const parent = written.at(-1);
      if (fold?.reach === 'rest' && parent) parent.fold = 'rest';
      const opened = openAs(name, attributes);
      hasOwn ||= !isFolded && opened.name === 'img';
      written.push({ name: opened.name, look, fold: fold?.reach === 'element' ? 'element' : null });
      look = opened.look;
    },
    close: () => {
      visibility.close();
      const opened = written.pop();
      look = opened?.look ?? look;
      if (opened?.fold === 'rest') endFold();
      if (opened && opened.name !== null) {
        depth -= 1;
        if (!VOID.has(opened.name)) seen += `</${opened.name}>`;
      }
      if (opened?.fold === 'element') endFold();
    },
    text: (text) => {
      if (!visibility.isTextSeen) return;
      hasOwn ||= !isFolded && text.trim() !== '';
      seen += escapeHtml(text);
    },
  });
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
  /** Images of other hosts, whether they are kept or not. */
  remoteImages: number;
}

/**
 * The same for a reader's frame: remote images are counted, and kept where the reader has asked for them. Quotes and
 * signatures are folded where `folds` says so; what is decided on is shown whole.
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
  try {
    const seen = seenHtml(html, folds);
    // A mail that is one quote is shown as it is.
    return sanitize(folds && !seen.hasOwn ? seenHtml(html, false).html : seen.html, options);
  } catch {
    // sanitize-html's parser rejects some styles: falls back to the text.
    return `<pre>${escapeHtml(readHtml(html).text)}</pre>`;
  }
};
