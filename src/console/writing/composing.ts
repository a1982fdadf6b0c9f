/** The mail in the sheet over the page: a new one, or a draft. */

import { signal } from '@preact/signals';

interface Composing {
  /** The agent as author. Left out: the page's agent, or the first one. */
  agent?: string;
  draftId?: string;
}

export const composing = signal<Composing | null>(null);

/** Counts drafts that were left, sent or discarded, once the service has their text: lists of drafts load again with each. */
export const draftsLeft = signal(0);
