/** Finds elements that are displayed before or after their place in the text: floats, and parts of tables. */

import { type ElementStyles, isReplaced, mayBeInline } from './element-styles.ts';

/** A box with lines of its own. */
interface Container {
  depth: number;
  /** Whether words are on the line so far. */
  hasWordsOnLine: boolean;
  hasWords: boolean;
  /** Whether it stands in a line of its parent. */
  isInLine: boolean;
}

/** A float at the right: what follows it is displayed before it. */
interface RightFloat {
  ordinal: number;
  depth: number;
  isOpen: boolean;
  hasWords: boolean;
}

export interface ReadingOrder {
  /** @returns whether its words are displayed out of their order, as far as it is known before what follows */
  open(styles: ElementStyles, ordinal: number): boolean;
  close(): void;
  words(): void;
  /** Numbers of the elements whose words turned out to be out of their order. */
  readonly found: ReadonlySet<number>;
}

/** Open or not yet passed floats that are followed. */
const MAX_FLOATS = 50;

/** Displayed at the top of their parent. */
const AT_TOP: ReadonlySet<string> = new Set(['caption', 'thead', 'legend', 'summary']);
const MOVED = /^table-(?:header-group|footer-group|caption|column|column-group)$/;

const sidesOf = ({ name, attributes, values }: ElementStyles): string[] => {
  const sides = values('float', '-ms-float');
  if (name === 'table' && sides.length === 0) sides.push((attributes.get('align') ?? '').trim().toLowerCase());
  return sides;
};

/** Whether what follows is below the floats before it. */
const isClearing = ({ name, attributes, values, isSet }: ElementStyles): boolean =>
  (name === 'br' && /^(?:all|right|both)$/i.test(attributes.get('clear') ?? '')) ||
  (isSet('clear') && values('clear').every((side) => side === 'right' || side === 'both'));

export const createReadingOrder = (): ReadingOrder => {
  const containers: Container[] = [{ depth: 0, hasWordsOnLine: false, hasWords: false, isInLine: false }];
  let floats: RightFloat[] = [];
  const found = new Set<number>();
  let depth = 0;

  const current = (): Container => containers.at(-1) as Container;
  const endLine = (): void => {
    current().hasWordsOnLine = false;
  };

  return {
    found,
    open: (styles, ordinal) => {
      const { name, values } = styles;
      const sides = sidesOf(styles);
      const isFloat = sides.some((side) => side === 'left' || side === 'right');
      const isOnTop = AT_TOP.has(name) && current().hasWords;
      const isBelow = name === 'tfoot' && !current().hasWords;
      const isMoved = values('display').some((display) => MOVED.test(display));
      const isBroken = isFloat && current().hasWordsOnLine;
      if (isClearing(styles)) floats = floats.filter((each) => each.isOpen || each.depth <= depth);
      depth += 1;
      if (name === 'br') endLine();
      if (!isFloat && mayBeInline(styles)) return isMoved || isOnTop;
      const isInLine = isReplaced(styles) || values('display').some((display) => display.startsWith('inline'));
      if (!isFloat && !isInLine) endLine();
      containers.push({ depth, hasWordsOnLine: false, hasWords: false, isInLine: isInLine && !isFloat });
      if (sides.includes('right')) {
        if (floats.length >= MAX_FLOATS) found.add(ordinal);
        else floats.push({ ordinal, depth, isOpen: true, hasWords: false });
      }
      return isBroken || isOnTop || isBelow || isMoved;
    },
    close: () => {
      const isContainer = current().depth === depth && containers.length > 1;
      if (isContainer) {
        const closed = containers.pop() as Container;
        current().hasWords ||= closed.hasWords;
        current().hasWordsOnLine ||= closed.isInLine && closed.hasWords;
      }
      floats = floats.filter((each) => {
        if (each.isOpen && each.depth === depth) {
          each.isOpen = false;
          return each.hasWords;
        }
        // Behind an element in a line its floats are still beside what follows; behind a box they are not.
        if (!isContainer) each.depth = Math.min(each.depth, depth);
        return each.depth <= depth;
      });
      depth -= 1;
    },
    words: () => {
      current().hasWordsOnLine = true;
      current().hasWords = true;
      for (const each of floats) {
        if (each.isOpen) each.hasWords = true;
        else found.add(each.ordinal);
      }
      floats = floats.filter(({ isOpen }) => isOpen);
    },
  };
};
