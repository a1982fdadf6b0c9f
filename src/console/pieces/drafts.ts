/** What is being written outside of a dialog: it is there again when its place is. */

import { useState } from 'preact/hooks';
import { isTypedInModal } from './modal.ts';

const drafts = new Map<string, string>();

/** Of what is there no more, nothing is kept. */
export const keepDrafts = (isThere: (of: string) => boolean): void => {
  for (const of of drafts.keys()) if (!isThere(of)) drafts.delete(of);
};

/** @param of what it is about @returns the text, and how it is changed; an empty one is forgotten */
export const useDraft = (of: string): [string, (text: string) => void] => {
  const [text, setText] = useState(() => drafts.get(of) ?? '');
  const change = (next: string): void => {
    setText(next);
    if (next.trim() === '') drafts.delete(of);
    else drafts.set(of, next);
  };
  return [text, change];
};

export const isUnsent = (): boolean => drafts.size > 0 || isTypedInModal();

/** Where something is written and not sent, the browser asks before the page goes. */
export const keepUnsent = (): void =>
  addEventListener('beforeunload', (event) => {
    if (isUnsent()) event.preventDefault();
  });
