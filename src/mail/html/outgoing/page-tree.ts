/** Parses a page as browsers do (HTML section 13.2), with bounds on what an agent's HTML may cost. */

import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';

export type PageNode = DefaultTreeAdapterTypes.ChildNode;
export type PageElement = DefaultTreeAdapterTypes.Element;

/** A long newsletter has a few thousand; misnested tags multiply them. */
const MAX_ELEMENTS = 50_000;
/** Elements open at once: nested tables reach some 40 levels. Each tag costs a walk over the open ones. */
export const MAX_DEPTH = 256;

class TooComplex extends Error {}

/** @returns the children of the document; null for a page that exceeds the bounds */
export const parsePage = (html: string): PageNode[] | null => {
  let elements = 0;
  let depth = 0;
  const treeAdapter = {
    ...defaultTreeAdapter,
    createElement: (...about: Parameters<typeof defaultTreeAdapter.createElement>) => {
      elements += 1;
      if (elements > MAX_ELEMENTS) throw new TooComplex();
      return defaultTreeAdapter.createElement(...about);
    },
    onItemPush: () => {
      depth += 1;
      if (depth > MAX_DEPTH) throw new TooComplex();
    },
    onItemPop: () => {
      depth -= 1;
    },
  };
  try {
    return parse(html, { treeAdapter, scriptingEnabled: false }).childNodes;
  } catch (error) {
    if (error instanceof TooComplex) return null;
    throw error;
  }
};
