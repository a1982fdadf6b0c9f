/** Fails when the table of events in src/docs/webhooks.md is not the catalogue's; `--write` makes it anew. */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { EVENTS } from '../src/kernel/events.ts';

const FILE = 'src/docs/webhooks.md';
const HEAD = ['| event | fires when | `data` |', '|---|---|---|'];
const ROWS = /^\| event \| fires when \|[\s\S]*?\n(?=\n)/m;

/** Fields of one event, those of few values with their values. */
const fieldsOf = (data: z.ZodObject): string =>
  Object.entries(data.shape)
    .map(([field, type]) => (type instanceof z.ZodEnum ? `\`${field}\` (${type.options.join(', ')})` : `\`${field}\``))
    .join(', ');

export const eventTable = (): string => {
  const rows = Object.entries(EVENTS).map(([name, { when, data }]) => `| \`${name}\` | ${when} | ${fieldsOf(data)} |`);
  return `${[...HEAD, ...rows].join('\n')}\n`;
};

/** @returns the document with the table of the catalogue in the place of its own; null where it has none */
export const withEventTable = (markdown: string): string | null =>
  ROWS.test(markdown) ? markdown.replace(ROWS, () => eventTable()) : null;

if (import.meta.main) {
  const file = resolve(import.meta.dirname, '..', FILE);
  const before = readFileSync(file, 'utf8');
  const after = withEventTable(before);
  if (after !== null && process.argv.includes('--write')) writeFileSync(file, after);
  else if (after !== before) {
    console.error(
      `${FILE}: its events are not those of src/kernel/events.ts; node scripts/check-event-docs.ts --write`,
    );
    process.exitCode = 1;
  }
}
