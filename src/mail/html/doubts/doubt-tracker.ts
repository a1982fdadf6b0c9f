/**
 * Tracks, while a page is walked for review, what styles that are known may do together: words beyond their box, on lines
 * over one another, off the page, in another order, or covered. No layout: what is not told counts as doubtful.
 */

import { type Declarations, NUDGE, readDeclarations } from '../css/declarations.ts';
import type { Rule } from '../css/rules.ts';
import type { StyledElement } from '../css/selectors.ts';
import { BLOCKS } from '../elements.ts';
import type { Look } from '../visibility.ts';
import { isRaised, mayCover, TIGHT_LINE } from './covering.ts';
import {
  type Block,
  type ElementStyles,
  isReplaced,
  largest,
  mayBeInline,
  pixelsOf,
  readStyles,
  smallest,
  spaceAt,
} from './element-styles.ts';
import { isStruckOut, mayBeUnreadLink } from './link-colors.ts';
import { createReadingOrder } from './reading-order.ts';
import { createRoom, heightLimit, isWider, lineChars, PAGE_PX, type Room, spend, widthLimit } from './room.ts';
import { factorOf, lineHeightIn, readLineHeight, readOpacity, START, type State } from './text-state.ts';

/** What is known of a page once it was walked, for the walk after it. */
export interface Findings {
  /** Whether any words may be covered. */
  mayBeCovered: boolean;
  /** Numbers of elements with words that are displayed behind those after them. */
  moved: ReadonlySet<number>;
}

export interface DoubtTracker {
  /** @param rules all that may apply to it */
  open(element: StyledElement, rules: readonly Rule[], look: Look): void;
  close(): void;
  /** Called with each text. @returns whether it may not be seen, or not in its place */
  isDoubtful(text: string): boolean;
  readonly findings: Findings;
}

const MIN_OPACITY = 0.2;
/** Pixels from the left beyond which a window, or a box that cuts, may not show words. */
const MAX_SHIFT = 700;
const MAX_CUT_SHIFT = 250;
/** Margin above and below that programs give to some blocks. */
const DEFAULT_MARGIN = 14;
const UNBROKEN: ReadonlySet<string> = new Set(['nobr', 'pre', 'listing', 'xmp']);
/** Blanks that move what follows out of the window. */
const FAR_BLANKS = /[\u00a0\u1680\u2000-\u200a\u202f\u3000]{60}/;
const FAR_BLANKS_AS_WRITTEN = /[ \u00a0]{150}|\t{15}/;
const UNBOUNDED = 1e9;
const MAX_CACHED = 500;

/** Fonts that show other signs for letters, or none. */
const SIGNS =
  /(?:^|[\s,"'])(?:wingdings|webdings|(?<!segoe ui |apple |noto sans )symbol(?!s)|zapf ?dingbats|zapfdingbats|itc zapf|marlett|[^,"']{0,40}(?:blank|barcode|redacted|awesome|dingbats))/;
const LETTERS = /[\p{L}\p{N}]/u;
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
const CUTS = /hidden|clip|auto|scroll/;
/** The room of an element that is painted above the words after it. */
const raisedIn = (room: Room | null, styles: ElementStyles): State['raised'] =>
  room !== null && isRaised(styles) ? { height: Math.max(0, room.left), width: UNBOUNDED } : null;

export const createDoubtTracker = (animationMayCover: boolean, known: Findings): DoubtTracker => {
  const cache = new Map<string, Declarations>();
  const order = createReadingOrder();
  const opened: State[] = [];
  const closing: { below: number; isApart: boolean }[] = [];
  let state = START;
  let ordinal = 0;
  let mayBeCovered = false;
  let clearance = 1000;
  /** Whether a line ended since the last words. */
  let hasBreak = false;

  const readInline = (style: string): Declarations => {
    const declarations = cache.get(style) ?? readDeclarations(style, true);
    if (cache.size < MAX_CACHED) cache.set(style, declarations);
    return declarations;
  };
  const stylesOf = ({ name, attributes }: StyledElement, rules: readonly Rule[]): ElementStyles => {
    const blocks: Block[] = rules.map(({ declarations, condition, isApart }) => ({
      declarations,
      isCertain: condition === null && !isApart,
    }));
    const style = attributes.get('style');
    if (style !== undefined) blocks.push({ declarations: readInline(style), isCertain: true });
    return readStyles(name, attributes, blocks, state.hasItems);
  };
  /** Space above or below an element, as far as it is certain. */
  const spaceOf = (styles: ElementStyles, side: 'top' | 'bottom'): number => {
    if (mayBeInline(styles)) return 0;
    const margins = spaceAt(styles, 'margin', side, PAGE_PX);
    const margin = BLOCKS.get(styles.name) === 2 && styles.name !== 'table' ? DEFAULT_MARGIN : 0;
    const padding = smallest(spaceAt(styles, 'padding', side, PAGE_PX), 0);
    return Math.max(0, smallest(margins, margin)) + Math.max(0, padding);
  };

  const enter = (styles: ElementStyles, fontSize: number): State => {
    const { values, attributes, name } = styles;
    const next = { ...state, fontSize, isDoubtful: state.isDoubtful || name === 'marquee' || known.moved.has(ordinal) };
    next.hasItems = values('display').some((display) => /flex|grid|-box$/.test(display));
    next.isUnbroken ||= UNBROKEN.has(name);
    if (styles.isBare) return next;
    next.lineHeight = readLineHeight(styles, next);
    next.letterSpacing = smallest(pixelsOf(values('letter-spacing'), 0), state.letterSpacing);
    next.opacity = state.opacity * readOpacity(styles);
    next.isFixedTable = name === 'table' ? values('table-layout').includes('fixed') : state.isFixedTable;
    const around = state.width ?? PAGE_PX;
    const width = widthLimit(styles, around, next.isFixedTable);
    if (width !== null) next.width = Math.min(width, around);
    const spaces = values('white-space');
    if (spaces.length > 0) next.isUnbroken = spaces.some((value) => /^(?:nowrap|pre)$/.test(value));
    if (attributes.has('nowrap') || values('width', 'min-width').includes('max-content')) next.isUnbroken = true;
    const indents = pixelsOf(values('text-indent'), PAGE_PX);
    next.shift +=
      largest([...spaceAt(styles, 'margin', 'left', PAGE_PX), 0]) +
      largest([...spaceAt(styles, 'padding', 'left', PAGE_PX), 0]) +
      largest(indents);
    if (values('overflow', 'overflow-x').some((value) => CUTS.test(value))) {
      next.cut = { shift: state.shift + largest(spaceAt(styles, 'margin', 'left', PAGE_PX)), width: next.width };
    }
    // It begins before the page's side.
    const isBefore = next.shift + smallest(indents, 0) < (next.cut?.shift ?? 0);
    const widest = largest(pixelsOf(values('width', 'min-width'), around));
    const isBeyond = state.cut !== null && widest > (state.cut.width ?? MAX_SHIFT) * 1.1;
    const fonts = [
      ...values('font-family', 'font', 'mso-ascii-font-family', 'mso-hansi-font-family'),
      (name === 'font' && attributes.get('face')?.toLowerCase()) || '',
    ];
    if (fonts.some((font) => font !== '')) next.hasSigns = fonts.some((font) => SIGNS.test(font.slice(0, 300)));
    const direction = attributes.get('dir')?.toLowerCase();
    if (direction === 'rtl' || direction === 'ltr') next.isFromRight = direction === 'rtl';
    if (styles.has(NUDGE)) next.nudges += 1;
    const height = heightLimit(styles);
    if (height !== null && !isReplaced(styles)) next.room = createRoom(height - lineHeightIn(next), state.room);
    const isCutting = values('overflow').some((value) => CUTS.test(value));
    const isNarrow = width !== null && width < 100 && !isReplaced(styles);
    next.isClipped ||= isCutting;
    if ((height !== null || isNarrow) && !isReplaced(styles) && (isRaised(styles) || state.raised)) {
      next.raised = { height: height ?? UNBOUNDED, width: isNarrow ? width : UNBOUNDED };
    } else next.raised ??= raisedIn(state.room, styles);
    if (next.isClipped) next.raised = null;
    if (name === 'body') {
      next.linkColors = ['link', 'vlink', 'alink'].flatMap((link) => attributes.get(link) ?? []);
    }
    next.isDoubtful ||= isBeyond || isBefore;
    return next;
  };

  /** Takes what an element puts before its words from a box that does not grow. */
  const takeRoom = (room: Room, styles: ElementStyles, next: State): void => {
    const line = lineHeightIn(next);
    if (isReplaced(styles)) {
      const sizes = pixelsOf([...styles.values('height', 'max-height'), styles.attributes.get('height') ?? ''], line);
      if (styles.name === 'img') spend(room, Math.max(0, smallest(sizes, UNBOUNDED) - line), line);
      return;
    }
    const heights = pixelsOf(styles.values('height', 'min-height'), line);
    const isBreak = styles.name === 'br' || styles.name === 'tr' || BLOCKS.has(styles.name);
    const before = room.hasWords && isBreak ? line + spaceOf(styles, 'top') : 0;
    const padding = mayBeInline(styles) ? 0 : largest(spaceAt(styles, 'padding', 'top', PAGE_PX));
    spend(room, before + padding + Math.max(0, largest(heights) - Math.max(room.left, 0) - line), line);
  };

  return {
    open: (element, rules, look) => {
      ordinal += 1;
      const { fontSize } = look;
      const hides = look.hidden || look.invisible || look.isDoubtful;
      const styles = stylesOf(element, rules);
      opened.push(state);
      const isInline = mayBeInline(styles);
      if (!isInline) clearance += spaceOf(styles, 'top');
      const next = enter(styles, fontSize);
      const isMoved = order.open(styles, ordinal);
      next.isDoubtful ||= isMoved || mayBeUnreadLink(styles, rules, look, next.linkColors) || isStruckOut(styles);
      const isAnimated = animationMayCover && styles.values('animation', 'animation-name').length > 0;
      const surroundings = {
        fontSize,
        lineHeight: factorOf(next),
        isFixedTable: state.isFixedTable,
        nudges: state.nudges,
        clearance,
        raised: state.isClipped ? null : (state.raised ?? raisedIn(state.room, styles)),
      };
      const displays = styles.values('display');
      const isGone = hides && displays.length > 0 && displays.every((display) => display === 'none');
      mayBeCovered ||= !isGone && (isAnimated || mayCover(styles, surroundings, hides));
      if (element.name === 'br') {
        if (hasBreak) clearance += lineHeightIn(state);
        hasBreak = true;
      }
      if (state.room) takeRoom(state.room, styles, next);
      state = { ...next, clearance };
      closing.push({ below: spaceOf(styles, 'bottom'), isApart: !isInline && !BLOCKS.has(element.name) });
    },
    close: () => {
      order.close();
      const closed = closing.pop();
      if (closed) clearance = closed.isApart ? Math.min(clearance, state.clearance) : clearance + closed.below;
      state = opened.pop() ?? START;
    },
    isDoubtful: (text) => {
      const { fontSize, width, room, cut, shift } = state;
      order.words();
      clearance = 0;
      const chars = lineChars(width, fontSize);
      const lines = Math.max(0, Math.ceil(text.trim().length / chars) - 1);
      hasBreak = false;
      const fits = room === null || spend(room, lines * lineHeightIn(state), lineHeightIn(state));
      for (let each = room; each !== null && !each.hasWords; each = each.outer) each.hasWords = true;
      const hasLetters = LETTERS.test(text);
      return (
        known.mayBeCovered ||
        state.isDoubtful ||
        !fits ||
        factorOf(state) < TIGHT_LINE ||
        state.opacity < MIN_OPACITY ||
        shift > MAX_SHIFT ||
        (cut !== null && shift - cut.shift > Math.max(0.6 * (cut.width ?? 0), MAX_CUT_SHIFT)) ||
        (width !== null && isWider(text, width, fontSize, state.isUnbroken)) ||
        state.letterSpacing < -fontSize / 5 ||
        FAR_BLANKS.test(text) ||
        (state.isUnbroken && FAR_BLANKS_AS_WRITTEN.test(text)) ||
        (state.hasSigns && hasLetters) ||
        (state.isFromRight && hasLetters && !FROM_RIGHT.test(text))
      );
    },
    get findings() {
      return { mayBeCovered, moved: order.found };
    },
  };
};
