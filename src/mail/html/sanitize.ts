/** HTML of outsiders, made safe to show. Bounded in time; never throws. */

import sanitize from 'sanitize-html';
import { cleanHref } from './anchors.ts';
import { SKIPPED, VOID } from './elements.ts';
import { escapeHtml } from './escape.ts';
import { readHtml } from './read.ts';
import { createSight } from './sight.ts';
import { walkHtml } from './walk.ts';

/** Tables in tables reach some 40 levels; the parser behind takes the square of the depth. */
const MAX_DEPTH = 200;

/** Elements that are written; of what comes after, the text is. A long newsletter has a few thousand. */
const MAX_ELEMENTS = 50_000;

const PLAIN_NAME = /^[a-z][a-z0-9-]*$/;

/** Values of colours, lengths and names. No `url(`, no `expression(`: nothing that loads or runs. */
const PLAIN_VALUE = [/^(?!.*(?:url|expression|image|attr|var|env|element)\s*\()[\w\s#.,%()'"+/-]{1,200}$/i];

const STYLES =
  'color background-color font font-family font-size font-style font-weight line-height text-align text-decoration text-indent text-transform letter-spacing white-space vertical-align padding padding-top padding-right padding-bottom padding-left width max-width min-width margin margin-top margin-right margin-bottom margin-left height max-height min-height border border-top border-right border-bottom border-left border-collapse border-color border-radius border-spacing border-style border-width display list-style-type table-layout'.split(
    ' ',
  );

const TAGS =
  'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'.split(
    ' ',
  );

/** A link that stands for itself. One without a scheme would lead to wherever the mail is shown. */
const ABSOLUTE = /^(?:https?:\/\/|mailto:|#)/i;
const EMBEDDED = /^cid:/i;

const safeLink: sanitize.Transformer = (tagName, { href, ...others }) => {
  const link = cleanHref(href ?? '');
  const kept = ABSOLUTE.test(link) ? { href: link } : {};
  return { tagName, attribs: { ...others, ...kept, rel: 'noopener noreferrer nofollow' } };
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
  allowedStyles: { '*': Object.fromEntries(STYLES.map((name) => [name, PLAIN_VALUE])) },
  nonTextTags: [...SKIPPED],
  transformTags: { a: safeLink, img: embeddedImage },
  nestingLimit: MAX_DEPTH,
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src && !attribs.alt,
};

/** The HTML again, without what a person does not see and what is no text: every element closed, none too deep. */
const seenHtml = (html: string): string => {
  const sight = createSight(html);
  const written: { name: string; isWritten: boolean }[] = [];
  let depth = 0;
  let elements = 0;
  let seen = '';
  walkHtml(html, {
    open: (name, attributes) => {
      const isShown = sight.open(name, attributes) && !sight.isSkipped;
      const isWritten = isShown && depth < MAX_DEPTH && elements < MAX_ELEMENTS && PLAIN_NAME.test(name);
      written.push({ name, isWritten });
      if (!isWritten) return;
      depth += 1;
      elements += 1;
      seen += `<${name}`;
      for (const [attribute, value] of attributes) {
        if (PLAIN_NAME.test(attribute)) seen += ` ${attribute}="${escapeHtml(value)}"`;
      }
      seen += '>';
    },
    close: (name) => {
      sight.close();
      if (!written.pop()?.isWritten) return;
      depth -= 1;
      if (!VOID.has(name)) seen += `</${name}>`;
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
