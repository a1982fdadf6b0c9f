/** The table of the instance's own settings. */

import { buffer, mapping, type TablesOf, text } from './mapping.ts';

export const settings = mapping('settings', { name: text(), value: buffer() });

export type SettingTables = TablesOf<typeof settings>;
