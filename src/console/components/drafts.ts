/** Unsent text outside of a dialog, restored with its place. */

import { useState } from 'preact/hooks';
import { isTypedInModal } from './modal.ts';

const drafts = new Map<string, string>();

/** Drops the text of subjects that no longer exist. */
export const keepDrafts = (isThere: (of: string) => boolean): void => {
  for (const of of drafts.keys()) if (!isThere(of)) drafts.delete(of);
};

/** @param of the subject; null: it is not kept @returns the text, and its setter; an empty text is dropped */
export const useDraft = (of: string | null): [string, (text: string) => void] => {
  const [text, setText] = useState(() => drafts.get(of ?? '') ?? '');
  const change = (next: string): void => {
    setText(next);
    if (of === null) return;
    if (next.trim() === '') drafts.delete(of);
    else drafts.set(of, next);
  };
  return [text, change];
};

const held = new Set<object>();

/** Holds the page while it has text that the server has not stored. */
export const holdPage = (by: object, isHeld: boolean): void => {
  if (isHeld) held.add(by);
  else held.delete(by);
};

export const isUnsent = (): boolean => drafts.size > 0 || held.size > 0 || isTypedInModal();

/** Makes the browser ask before it leaves a page with unsent text. */
export const keepUnsent = (): void =>
  addEventListener('beforeunload', (event) => {
    if (isUnsent()) event.preventDefault();
  });
