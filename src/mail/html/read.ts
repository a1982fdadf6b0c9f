/** Reads an HTML part as a person sees it: its text, its links, and whether something of it is hidden. */

import { type Anchor, addressBehind, cleanHref, isWebAddress, MAX_ANCHORS, MAX_LABEL } from './anchors.ts';
import { BLOCKS, CELLS } from './elements.ts';
import { createLayout, type Layout } from './layout.ts';
import { dropPadding, isPadding } from './padding.ts';
import { createSight } from './sight.ts';
import { type Attributes, MAX_HTML, walkHtml } from './walk.ts';

export interface ReadHtml {
  /** Blocks on lines, a table's row on one with tabs between its cells, links with their address in brackets. */
  text: string;
  /** Those to the web, in order. */
  anchors: Anchor[];
  /** Whether text that a person does not see was left out. */
  hasHidden: boolean;
  /** Whether the part was longer than what is read of it. */
  isCut: boolean;
}

/** Characters of the text made of a part: what is kept and indexed of a mail. */
const MAX_TEXT = 1_000_000;
const MAX_ALT = 300;

/** What programs write as the text of an image that has none. */
const FILE_NAME = /^\S{1,200}\.(?:png|jpe?g|gif|webp|svg|bmp)$/i;

/** A picture of a pixel is no picture. */
const altOf = (attributes: Attributes): string => {
  const isDot = ['width', 'height'].some((side) => /^\s*[01](?:px)?\s*$/.test(attributes.get(side) ?? ''));
  const alt = (attributes.get('alt') ?? '').slice(0, MAX_ALT).trim();
  return isDot || FILE_NAME.test(alt) ? '' : alt;
};

const startOf = (name: string, attributes: Attributes): number | null => {
  if (name !== 'ol') return null;
  const start = attributes.get('start') ?? '';
  return /^\d{1,6}$/.test(start) ? Number(start) : 1;
};

const isDataTable = (attributes: Attributes): boolean =>
  /^[1-9]\d?$/.test(attributes.get('border') ?? '') || /\bMsoTableGrid\b/.test(attributes.get('class') ?? '');

const openBlock = (layout: Layout, name: string, attributes: Attributes): void => {
  if (name === 'blockquote') layout.openQuote();
  else if (name === 'ul' || name === 'ol') layout.openList(startOf(name, attributes));
  else if (name === 'li') layout.item();
  else if (name === 'table') layout.openTable(isDataTable(attributes));
  else if (name === 'tr') layout.openRow();
  else if (CELLS.has(name)) layout.openCell(name === 'th');
  else if (name === 'hr') layout.rule();
  else if (name === 'br') layout.lineBreak();
};

const closeBlock = (layout: Layout, name: string): void => {
  if (name === 'blockquote') layout.closeQuote();
  else if (name === 'ul' || name === 'ol') layout.closeList();
  else if (name === 'table') layout.closeTable();
  else if (name === 'tr') layout.closeRow();
  else if (CELLS.has(name)) layout.closeCell();
  else if (name === 'li') layout.block(1);
};

const STRUCTURES: ReadonlySet<string> = new Set('blockquote ul ol li table tr td th hr br'.split(' '));

/**
 * Linear in the input, with a bounded result; never throws.
 * @param forReview for a person who judges the mail before it goes: long addresses are not shortened, and text that its
 *   recipient would not see stands as `[hidden: …]`
 */
export const readHtml = (html: string, { forReview = false } = {}): ReadHtml => {
  const layout = createLayout(MAX_TEXT);
  const sight = createSight(html);
  const anchors: Anchor[] = [];
  let anchor: Anchor | null = null;
  let isAddressShown = false;
  let lastShown = '';
  let hasHidden = false;

  const write = (text: string): void => {
    layout.text(text, sight.look.preformatted);
    if (anchor && anchor.label.length < MAX_LABEL) {
      anchor.label = `${anchor.label}${text.slice(0, MAX_LABEL)}`.replace(/\s+/g, ' ').trimStart();
    }
  };
  /** Writes the address of the open link behind what is seen of it: at its end, or before the line ends in it. */
  const showAddress = (): void => {
    if (!anchor || isAddressShown) return;
    const shown = addressBehind({ ...anchor, label: dropPadding(anchor.label).trim() }, forReview);
    if (shown === null) return;
    isAddressShown = true;
    if (shown !== lastShown) layout.text(` [${shown}]`, false);
    lastShown = shown;
  };
  const closeAnchor = (): void => {
    showAddress();
    if (anchor && isWebAddress(anchor.href) && anchors.length < MAX_ANCHORS) {
      anchors.push({ href: anchor.href, label: dropPadding(anchor.label).trim() });
    }
    anchor = null;
    isAddressShown = false;
  };
  /** Parts what stands before an element, or behind it, from what is in it. */
  const part = (name: string): void => {
    const { display, isTight } = sight.look;
    const breaks = name === 'p' && isTight ? 1 : (BLOCKS.get(name) ?? (display === 'block' ? 1 : null));
    if (name === 'img' || display === 'inline-block') layout.space();
    else if (breaks !== null && display !== 'inline') {
      showAddress();
      layout.block(breaks);
    }
  };

  walkHtml(html, {
    open: (name, attributes) => {
      if (!sight.open(name, attributes)) return;
      if (STRUCTURES.has(name)) {
        showAddress();
        openBlock(layout, name, attributes);
        return;
      }
      part(name);
      if (name === 'a') anchor = { href: cleanHref(attributes.get('href') ?? ''), label: '' };
      else if (name === 'img') write(altOf(attributes));
    },
    close: (name) => {
      if (!sight.isShown) {
        sight.close();
        return;
      }
      if (name === 'a') closeAnchor();
      if (STRUCTURES.has(name)) {
        showAddress();
        closeBlock(layout, name);
      } else part(name);
      sight.close();
    },
    text: (text) => {
      if (sight.isTextSeen) write(text.replaceAll('\0', ''));
      else if (!sight.isSkipped && !isPadding(text)) {
        hasHidden = true;
        if (forReview) layout.text(` [hidden: ${text.trim()}] `, false);
      }
    },
    get isDone() {
      return layout.isFull;
    },
  });
  return { text: dropPadding(layout.end()), anchors, hasHidden, isCut: html.length > MAX_HTML || layout.isFull };
};
