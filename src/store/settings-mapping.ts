/** The table of the instance's own settings. */

import { buffer, mapping, text } from './mapping.ts';

export const settings = mapping('settings', { name: text(), value: buffer() });
