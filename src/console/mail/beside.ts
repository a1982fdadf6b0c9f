/** State shared by the list and the reader of mail. */

import { signal } from '@preact/signals';

/** Counts marks and archivings here: the lists load again with each. */
export const flagged = signal(0);
/** The list's links in order: archiving opens the next one. */
export const listed = signal<readonly string[]>([]);
/** The thread that is open, for the title row; null: none is. */
export const openThread = signal<{ subject: string; archive: () => void } | null>(null);
