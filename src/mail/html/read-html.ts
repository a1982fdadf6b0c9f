/** Reads an HTML part as a mail program displays it: its text, its links, and whether it hides text. */

import { type Anchor, addressBehind, cleanHref, isWebAddress, MAX_ANCHORS, MAX_LABEL } from './anchors.ts';
import { BLOCKS, CELLS } from './elements.ts';
import type { Attributes } from './nesting.ts';
import { dropPadding, isPadding } from './padding.ts';
import { createLayout } from './text-layout.ts';
import { createVisibilityTracker } from './visibility-tracker.ts';
import { MAX_HTML, walkHtml } from './walk-html.ts';

export interface ReadHtml {
  /** Blocks on lines, a table row on one line with tabs between its cells, links with their address in brackets. */
  text: string;
  /** Web links, in order. */
  anchors: Anchor[];
  /** Whether invisible text was left out. */
  hasHidden: boolean;
  /** Whether the text exceeded its limit. */
  isCut: boolean;
}

/** Characters of the resulting text: as many are stored and indexed of a mail. */
const MAX_TEXT = 1_000_000;
const MAX_ALT = 300;

/** Default alternative texts that programs write: the image's file name. */
const FILE_NAME = /^\S{1,200}\.(?:png|jpe?g|gif|webp|svg|bmp)$/i;

/** Returns an image's alternative text; '' for a tracking pixel. */
export const readAlt = (attributes: Attributes): string => {
  const isDot = ['width', 'height'].some((side) => /^\s*[01](?:px)?\s*$/.test(attributes.get(side) ?? ''));
  const alt = (attributes.get('alt') ?? '').slice(0, MAX_ALT).trim();
  return isDot || FILE_NAME.test(alt) ? '' : alt;
};

const readNumber = (text = ''): number | null => (/^\d{1,6}$/.test(text) ? Number(text) : null);
const readListStart = (name: string, attributes: Attributes): number | null =>
  name === 'ol' ? (readNumber(attributes.get('start')) ?? 1) : null;

const isDataTable = (attributes: Attributes): boolean =>
  /^[1-9]\d?$/.test(attributes.get('border') ?? '') || /\bMsoTableGrid\b/.test(attributes.get('class') ?? '');

type Layout = ReturnType<typeof createLayout>;

const openBlock = (layout: Layout, name: string, attributes: Attributes): void => {
  if (name === 'blockquote') layout.openQuote();
  else if (name === 'ul' || name === 'ol') layout.openList(readListStart(name, attributes));
  else if (name === 'li') layout.item(readNumber(attributes.get('value')));
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

const STRUCK: ReadonlySet<string> = new Set(['s', 'strike', 'del']);

/** Marks what would read otherwise without its looks: `~~10~~ 11` for a struck 10, `10^6` for a power of ten. */
const createMarks = (put: (mark: string) => void) => {
  let struck = 0;
  let isMarked = false;
  let isRaised = false;
  let lastText = '';
  const end = (): void => {
    if (isMarked) put('~~');
    isMarked = false;
  };
  return {
    open: (name: string): void => {
      if (STRUCK.has(name)) struck += 1;
      if (name === 'sup') isRaised = true;
    },
    close: (name: string): void => {
      if (!STRUCK.has(name)) return;
      struck = Math.max(0, struck - 1);
      if (struck === 0) end();
    },
    beforeText: (text: string): void => {
      if (struck > 0 && !isMarked && text.trim() !== '') {
        isMarked = true;
        put('~~');
      }
      if (isRaised && /^\d/.test(text) && /\d$/.test(lastText)) put('^');
      isRaised = false;
      lastText = text;
    },
    endLine: (): void => {
      end();
      lastText = '';
    },
  };
};

const STRUCTURES: ReadonlySet<string> = new Set('blockquote ul ol li table tr td th hr br'.split(' '));

/** Linear in the input, with a bounded result; never throws. @param wholeAddresses whether long addresses stay in full */
export const readHtml = (html: string, { wholeAddresses = false } = {}): ReadHtml => {
  const visibility = createVisibilityTracker(html);
  const layout = createLayout(MAX_TEXT);
  const anchors: Anchor[] = [];
  let anchor: Anchor | null = null;
  let isAddressShown = false;
  let lastShown = '';
  let hasHidden = false;

  const marks = createMarks((mark) => layout.text(mark, false));

  const write = (text: string): void => {
    marks.beforeText(text);
    layout.text(text, visibility.look.preformatted);
    if (anchor && anchor.label.length < MAX_LABEL) {
      anchor.label = `${anchor.label}${text.slice(0, MAX_LABEL)}`.replace(/\s+/g, ' ').trimStart();
    }
  };
  /** Writes the address of the open link after its visible text: at the link's end, or before a line break within it. */
  const showAddress = (): void => {
    if (!anchor || isAddressShown) return;
    const shown = addressBehind({ ...anchor, label: dropPadding(anchor.label).trim() }, wholeAddresses);
    if (shown === null) return;
    isAddressShown = true;
    if (shown !== lastShown) layout.text(` [${shown}]`, false);
    lastShown = shown;
  };
  /** Before a line break. */
  const endLine = (): void => {
    showAddress();
    marks.endLine();
  };
  const closeAnchor = (): void => {
    showAddress();
    if (anchor && isWebAddress(anchor.href) && anchors.length < MAX_ANCHORS) {
      anchors.push({ href: anchor.href, label: dropPadding(anchor.label).trim() });
    }
    anchor = null;
    isAddressShown = false;
  };
  /** Separates an element's content from the text before or after it. */
  const separate = (name: string): void => {
    const { display, isTight } = visibility.look;
    const breaks = name === 'p' && isTight ? 1 : (BLOCKS.get(name) ?? (display === 'block' ? 1 : null));
    if (name === 'img' || display === 'inline-block') layout.space();
    else if (breaks !== null && display !== 'inline') {
      endLine();
      layout.block(breaks);
    }
  };

  walkHtml(html, {
    open: (name, attributes) => {
      if (!visibility.open(name, attributes)) return;
      if (STRUCTURES.has(name)) {
        endLine();
        openBlock(layout, name, attributes);
        return;
      }
      separate(name);
      marks.open(name);
      if (name === 'a') anchor = { href: cleanHref(attributes.get('href') ?? ''), label: '' };
      else if (name === 'img') write(readAlt(attributes));
    },
    close: (name) => {
      if (!visibility.isShown) {
        visibility.close();
        return;
      }
      if (name === 'a') closeAnchor();
      marks.close(name);
      if (STRUCTURES.has(name)) {
        endLine();
        closeBlock(layout, name);
      } else separate(name);
      visibility.close();
    },
    text: (text) => {
      if (visibility.isTextSeen) write(text.replaceAll('\0', ''));
      else if (!visibility.isSkipped && !isPadding(text)) hasHidden = true;
    },
    get isDone() {
      return layout.isFull;
    },
  });
  const text = dropPadding(layout.end());
  return { text, anchors, hasHidden, isCut: layout.isFull || html.length > MAX_HTML };
};
