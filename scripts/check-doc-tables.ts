/** Fails where a table of src/docs is not that of the list it is made from; `--write` makes all of them anew. */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { commands } from '../src/cli/commands/index.ts';
import { formatOptions } from '../src/cli/commands/usage.ts';
import { EVENTS } from '../src/kernel/events.ts';
import { REJECTIONS } from '../src/outbound/gate/rejections.ts';

export interface DocTable {
  readonly file: string;
  /** The module that it is made from. */
  readonly source: string;
  readonly head: string;
  readonly rows: readonly string[];
}

/** Fields of one event, those of few values with their values. */
const fieldsOf = (data: z.ZodObject): string =>
  Object.entries(data.shape)
    .map(([field, type]) => (type instanceof z.ZodEnum ? `\`${field}\` (${type.options.join(', ')})` : `\`${field}\``))
    .join(', ');

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

export const DOC_TABLES: Readonly<Record<'events' | 'rejections' | 'options', DocTable>> = {
  events: {
    file: 'src/docs/webhooks.md',
    source: 'src/kernel/events.ts',
    head: '| event | fires when | `data` |\n|---|---|---|',
    rows: Object.entries(EVENTS).map(([name, { when, data }]) => `| \`${name}\` | ${when} | ${fieldsOf(data)} |`),
  },
  rejections: {
    file: 'src/docs/sending.md',
    source: 'src/outbound/gate/rejections.ts',
    head: '| `reason` | what it means |\n|---|---|',
    rows: Object.entries(REJECTIONS).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`),
  },
  options: {
    file: 'src/docs/operate/cli.md',
    source: 'src/cli/commands',
    head: '| command | options |\n|---|---|',
    rows: commands
      .filter(({ options }) => Object.keys(options).length > 0)
      .map(({ name, options }) => `| ${code(name)} | ${formatOptions(options).map(code).join(' ')} |`),
  },
};

/** @returns the document with the table of its list in the place of its own; null where it has none */
export const withTable = (markdown: string, { head, rows }: DocTable): string | null => {
  const from = markdown.indexOf(`${head}\n`);
  if (from === -1) return null;
  const end = markdown.indexOf('\n\n', from);
  return `${markdown.slice(0, from)}${[head, ...rows].join('\n')}${end === -1 ? '\n' : markdown.slice(end)}`;
};

if (import.meta.main) {
  for (const table of Object.values(DOC_TABLES)) {
    const file = resolve(import.meta.dirname, '..', table.file);
    const before = readFileSync(file, 'utf8');
    const after = withTable(before, table);
    if (after !== null && process.argv.includes('--write')) writeFileSync(file, after);
    else if (after !== before) {
      console.error(`${table.file} is not as ${table.source} has it; node scripts/check-doc-tables.ts --write`);
      process.exitCode = 1;
    }
  }
}
