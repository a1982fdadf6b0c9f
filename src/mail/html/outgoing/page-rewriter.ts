/**
 * Walks a page and writes the elements of the small language, each only where HTML allows it, with its allowed
 * attributes.
 */

import { cleanHref } from '../anchors.ts';
import { type Declarations, readDeclarations } from '../css/declarations.ts';
import type { Visitor } from '../nesting.ts';
import { readAlt } from '../read-html.ts';
import { isTooFar, type OutgoingLook, PAGE_LOOK, rewriteLook } from './element-look.ts';
import { MAX_DEPTH, type PageElement, type PageNode } from './page-tree.ts';
import { ALIKE, BLOCK, CELL, DROPPED, INDENTED, SILENT, WRITTEN_AS } from './small-language.ts';
import { cleanText, hasBidiControls } from './visible-characters.ts';

const MAX_TARGET = 2_000;

/** Absolute addresses, of schemes that every program opens safely. */
const isWeb = (address: string): boolean => /^https:\/\//i.test(address) && URL.canParse(address);

const readAddress = (written: string, others: RegExp): string | null => {
  const address = cleanHref(written);
  if (address.length > MAX_TARGET) return null;
  return isWeb(address) || others.test(address) ? address : null;
};

/** @returns null for a relative address, and one of another scheme */
const readTarget = (href: string): string | null => readAddress(href, /^(?:mailto|tel|cid):[^\s]/i);

const readImage = (src: string): string | null => readAddress(src, /^cid:[^\s]/i);

/** The written elements around a node. */
interface Around {
  look: OutgoingLook;
  /** The element that was written last: a table has rows alone, and a row cells. */
  within: string;
  isInLink: boolean;
  depth: number;
}

const MAX_CACHED = 500;
const NO_STYLES: Declarations = new Map();
const HTML = 'http://www.w3.org/1999/xhtml';
const VOID = new Set(['br', 'hr', 'img']);
/** Attributes that may be lost without changing the mail. */
const BARE =
  /^(?:style|class|id|href|src|alt|title|name|lang|align|valign|width|height|border|cell(?:padding|spacing)|bgcolor|color|size|face|target|rel|role|colspan|start|aria-.*|data-.*|xmlns.*|link|vlink|alink|text|type|charset|content|http-equiv|scope|nowrap)$/;

const attributesOf = ({ attrs }: PageElement): ReadonlyMap<string, string> =>
  new Map(attrs.map(({ name, value }) => [name, value]));

const isHtml = (node: PageNode): node is PageElement => 'tagName' in node && node.namespaceURI === HTML;

const writtenNameOf = (node: PageNode): string => (isHtml(node) ? (WRITTEN_AS.get(node.tagName) ?? '') : '');

const hasBlock = ({ childNodes }: PageElement): boolean =>
  childNodes.some((child) => BLOCK.has(writtenNameOf(child)) || ('childNodes' in child && hasBlock(child)));

const isHidden = (attributes: ReadonlyMap<string, string>, styles: Declarations): boolean =>
  attributes.has('hidden') ||
  styles.get('display')?.value === 'none' ||
  styles.get('visibility')?.value === 'hidden' ||
  styles.get('mso-hide')?.value === 'all';

/** The attribute that numbers a list or its item. */
const NUMBER_OF: ReadonlyMap<string, string> = new Map([
  ['ol', 'start'],
  ['li', 'value'],
]);

const wholeNumber = (text: string | undefined, most: number): string | null =>
  text !== undefined && /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= most ? text : null;

export class PageRewriter {
  readonly #visitor: Visitor;
  readonly #losses: Set<string>;
  /** By style attribute: a mail repeats a few of them on every cell. */
  readonly #styles = new Map<string, Declarations>();
  #isFollowed = true;

  /** @param losses is filled with what the agent loses */
  constructor(visitor: Visitor, losses: Set<string>) {
    this.#visitor = visitor;
    this.#losses = losses;
  }

  /** @returns false where the tree is too deep */
  rewrite(page: readonly PageNode[]): boolean {
    this.#rewriteAll(page, { look: PAGE_LOOK, within: '', isInLink: false, depth: 0 });
    return this.#isFollowed;
  }

  #rewriteAll(nodes: readonly PageNode[], around: Around): void {
    if (around.depth > MAX_DEPTH) this.#isFollowed = false;
    else for (const node of nodes) this.#rewriteNode(node, around);
  }

  #rewriteNode(node: PageNode, around: Around): void {
    if ('value' in node) this.#write(node.value, around);
    else if (node.nodeName === '#comment' && /^\s*\[if/i.test((node as { data: string }).data)) {
      this.#losses.add('conditional comment');
    } else if ('tagName' in node) this.#rewriteElement(node, around);
  }

  #write(text: string, around: Around): void {
    const isBlank = text.trim() === '';
    if (around.within === 'table' || around.within === 'tr') {
      if (!isBlank) this.#wrap(around, (inner) => this.#write(text, inner));
      return;
    }
    if (hasBidiControls(text)) this.#losses.add('bidi control');
    const clean = cleanText(text);
    if (clean !== '') this.#visitor.text(clean);
  }

  /** Adds the missing row and cell around content of a table or row; a caption needs none. */
  #wrap(around: Around, work: (inner: Around) => void): void {
    const missing = around.within === 'table' ? ['tr', 'td'] : ['td'];
    for (const name of missing) this.#visitor.open(name, new Map());
    work({ ...around, within: 'td' });
    for (const name of missing.toReversed()) this.#visitor.close(name);
  }

  #readStyles(style: string | undefined): Declarations {
    if (style === undefined) return NO_STYLES;
    const known = this.#styles.get(style);
    if (known) return known;
    const styles = readDeclarations(style);
    if (this.#styles.size < MAX_CACHED) this.#styles.set(style, styles);
    return styles;
  }

  #rewriteElement(node: PageElement, around: Around): void {
    const name = node.tagName;
    if (name === 'html' || name === 'tbody' || name === 'thead' || name === 'tfoot') {
      this.#rewriteAll(node.childNodes, { ...around, depth: around.depth + 1 });
      return;
    }
    if (name === 'head') {
      if (node.childNodes.some((child) => child.nodeName === 'style')) this.#losses.add('style sheet');
      return;
    }
    if (!isHtml(node) || DROPPED.has(name)) {
      if (!SILENT.has(name)) this.#losses.add(name === 'style' ? 'style sheet' : `element ${name.slice(0, 40)}`);
      return;
    }
    const attributes = attributesOf(node);
    const styles = this.#readStyles(attributes.get('style'));
    if (isHidden(attributes, styles)) {
      this.#losses.add('hidden text');
      return;
    }
    const written = this.#placeOf(node, attributes, around);
    // Old mail has forms around rows, which browsers leave empty.
    const isEmpty = node.childNodes.length === 0 && !VOID.has(written);
    if (isEmpty && (around.within === 'table' || around.within === 'tr') && !CELL.has(written)) return;
    if (around.within === 'table' ? written !== 'tr' : around.within === 'tr' && !CELL.has(written)) {
      this.#wrap(around, (inner) => this.#open(node, attributes, styles, written, inner));
    } else this.#open(node, attributes, styles, written, around);
  }

  /** The element to write; '' for none. */
  #placeOf(node: PageElement, attributes: ReadonlyMap<string, string>, { within, look, isInLink }: Around): string {
    const name = node.tagName;
    const written = WRITTEN_AS.get(name) ?? '';
    if (written !== name && !ALIKE.has(name)) this.#losses.add(`element ${name.slice(0, 40)}`);
    if (/^(?:p|h[1-6])$/.test(written) && hasBlock(node)) return 'div';
    if (written === 'tr') return within === 'table' ? written : 'div';
    if (CELL.has(written)) return within === 'tr' ? written : 'div';
    if (written === 'li') return within === 'ul' || within === 'ol' ? written : 'div';
    if (INDENTED.has(written) && isTooFar(look)) return 'div';
    if (written === 'a' && (isInLink || this.#readHref(attributes) === null)) return 'span';
    return written;
  }

  #readHref(attributes: ReadonlyMap<string, string>): string | null {
    const href = attributes.get('href');
    if (href === undefined || href.startsWith('#')) return null;
    const target = readTarget(href);
    if (target === null) this.#losses.add('link');
    return target;
  }

  #open(
    node: PageElement,
    attributes: ReadonlyMap<string, string>,
    styles: Declarations,
    written: string,
    around: Around,
  ): void {
    const part = { name: node.tagName, written, attributes, styles, isLink: written === 'a' };
    const { style, look, lost } = rewriteLook(part, around.look);
    for (const each of lost) this.#losses.add(each);
    for (const attribute of attributes.keys()) {
      if (!BARE.test(attribute) && attribute !== NUMBER_OF.get(written))
        this.#losses.add(`attribute ${attribute.slice(0, 40)}`);
    }
    const kept = new Map<string, string>();
    if (written === 'img' && !this.#keepImage(attributes, kept, around)) return;
    const isDrawn = written !== '' && (style !== '' || (written !== 'span' && node.tagName !== 'body'));
    if (style !== '') kept.set('style', style);
    if (written === 'a') kept.set('href', readTarget(attributes.get('href') ?? '') ?? '');
    const colspan = CELL.has(written) ? wholeNumber(attributes.get('colspan'), 100) : null;
    if (colspan !== null) kept.set('colspan', colspan);
    const counted = NUMBER_OF.get(written);
    const number = counted === undefined ? null : wholeNumber(attributes.get(counted), 999_999);
    if (counted !== undefined && number !== null) kept.set(counted, number);
    if (isDrawn) this.#visitor.open(written, kept);
    const inner = {
      look: isDrawn ? look : around.look,
      within: isDrawn ? written : around.within,
      isInLink: around.isInLink || written === 'a',
      depth: around.depth + 1,
    };
    if (!VOID.has(written)) this.#rewriteContent(node, inner);
    if (isDrawn) this.#visitor.close(written);
  }

  /** Marks that programs draw, or that lift letters, are written as characters. */
  #rewriteContent(node: PageElement, inner: Around): void {
    const name = node.tagName;
    if (name === 'sup') this.#visitor.text('^');
    if (name === 'q') this.#visitor.text('“');
    this.#rewriteAll(node.childNodes, inner);
    if (name === 'q') this.#visitor.text('”');
  }

  /** @returns whether there is an image to write; else its alternative text stands in its place */
  #keepImage(attributes: ReadonlyMap<string, string>, kept: Map<string, string>, around: Around): boolean {
    const src = readImage(attributes.get('src') ?? '');
    const alt = cleanText(readAlt(attributes));
    if (src === null) {
      this.#losses.add('image');
      if (alt !== '') this.#write(alt, around);
      return false;
    }
    kept.set('src', src);
    kept.set('alt', alt);
    return true;
  }
}
