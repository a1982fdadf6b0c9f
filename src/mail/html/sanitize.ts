/** HTML of outsiders, made safe to show. Bounded in time; never throws. */

import sanitize from 'sanitize-html';
import { cleanHref } from './anchors.ts';
import { BLOCKS, SKIPPED, VOID } from './elements.ts';
import { escapeHtml } from './escape.ts';
import { readHtml } from './read.ts';
import { createSight } from './sight.ts';
import { createDresser, keptHref, PLAIN_VALUE, STYLES } from './styles.ts';
import { INITIAL_LOOK, type Look } from './visibility.ts';
import { type Attributes, walkHtml } from './walk.ts';

/** Tables in tables reach some 40 levels; the parser behind takes the square of the depth. */
const MAX_DEPTH = 200;

/** Elements that are written; of what comes after, the text is. A long newsletter has a few thousand. */
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

// An image that is not in the mail tells its host who read it, and when: only those that are in it stay.
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
  nestingLimit: MAX_DEPTH,
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src && !attribs.alt,
};

const WRITTEN: ReadonlySet<string> = new Set(TAGS);

interface Written {
  /** The element that is written for it; null for none. */
  name: string | null;
  look: Look;
}

/** The HTML again, without what a person does not see and what is no text: every element closed, none too deep. */
const seenHtml = (html: string): string => {
  const sight = createSight(html);
  const dress = createDresser();
  const written: Written[] = [];
  let look = INITIAL_LOOK;
  let depth = 0;
  let elements = 0;
  let seen = '';

  const openAs = (name: string, attributes: Attributes): Written => {
    const isBounded = depth < MAX_DEPTH && elements < MAX_ELEMENTS && PLAIN_NAME.test(name);
    if (!isBounded || !sight.isShown || SKIPPED.has(name)) return { name: null, look };
    const dressed = dress(name, attributes, sight.look, look);
    // The page itself and buttons are not written, but may have a colour that what stands in them is read on.
    const stand = BLOCKS.has(name) ? 'div' : 'span';
    const tag = WRITTEN.has(name) ? name : dressed.isNeeded && !VOID.has(name) ? stand : null;
    if (tag === null) return { name: null, look };
    depth += 1;
    elements += 1;
    seen += `<${tag}`;
    for (const [attribute, value] of dressed.attributes) {
      if (PLAIN_NAME.test(attribute)) seen += ` ${attribute}="${escapeHtml(value)}"`;
    }
    seen += '>';
    return { name: tag, look: dressed.look };
  };

  walkHtml(html, {
    open: (name, attributes) => {
      sight.open(name, attributes);
      const opened = openAs(name, attributes);
      written.push({ name: opened.name, look });
      look = opened.look;
    },
    close: () => {
      sight.close();
      const opened = written.pop();
      look = opened?.look ?? look;
      if (!opened || opened.name === null) return;
      depth -= 1;
      if (!VOID.has(opened.name)) seen += `</${opened.name}>`;
    },
    text: (text) => {
      if (sight.isTextSeen) seen += escapeHtml(text);
    },
  });
  return seen;
};

/**
 * What of an HTML part may be shown: formatting, links to http, https and mailto, and images of the mail itself (`cid:`).
 * Scripts, event handlers, forms, frames, style sheets and everything that would be loaded are taken out, and what the
 * mail hides is too: without its style sheet some of it would be seen.
 */
export const sanitizeMailHtml = (html: string): string => {
  try {
    return sanitize(seenHtml(html), SANITIZE);
  } catch {
    // A style that its parser refuses: the words are still worth showing.
    return `<pre>${escapeHtml(readHtml(html).text)}</pre>`;
  }
};
