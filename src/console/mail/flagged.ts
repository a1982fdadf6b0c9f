/** How often mail was marked or archived here: lists beside the reader load again with each. */

import { signal } from '@preact/signals';

export const flagged = signal(0);
