/** What the list and the reader of mail tell each other. */

import { signal } from '@preact/signals';

/** How often mail was marked or archived here: lists beside the reader load again with each. */
export const flagged = signal(0);
/** Links of the list, in its order: what is archived goes on to the next. */
export const listed = signal<readonly string[]>([]);
/** The thread that is open, for the title row; null: none is. */
export const openThread = signal<{ subject: string; archive: () => void } | null>(null);
