/** `npm run bench [NAME…]`: measures and prints. Without a name, every bench in turn; `all` compares with what was kept, too. */

import { statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, BenchSettings, Figure } from './bench.ts';
import { contactImport } from './contacts/contact-import.ts';
import { contacts } from './contacts/contacts.ts';
import { http } from './http/http.ts';
import { inbound } from './inbound.ts';
import { compareFigures, keepFigures, machineKind } from './kept.ts';
import { leakGuard } from './leak-guard.ts';
import { tokenCosts } from './mcp/tokens.ts';
import { idle } from './memory/idle.ts';
import { memory } from './memory/memory.ts';
import { queue } from './queue.ts';
import { search } from './search/search.ts';
import { htmlSends } from './sending/html-sends.ts';
import { outbound } from './sending/outbound.ts';
import { boxes } from './storage/boxes.ts';
import { keptBytes } from './storage/kept-bytes.ts';
import { printTable } from './table.ts';
import { webhooks } from './webhooks.ts';

const BENCHES: readonly Bench[] = [
  idle,
  inbound,
  outbound,
  http,
  queue,
  webhooks,
  contacts,
  contactImport,
  memory,
  keptBytes,
  leakGuard,
  htmlSends,
  search,
  tokenCosts,
  boxes,
];

/** Those with goals, in a short form of their own: half an hour on a quiet machine. */
const SHORT: readonly (readonly [bench: Bench, settings: Partial<BenchSettings>])[] = [
  [idle, { rounds: 3 }],
  [inbound, { rounds: 3, messages: 1_500, sessions: 20, seconds: 900 }],
  [inbound, { rounds: 3, messages: 1_500, sessions: 200, seconds: 900 }],
  [outbound, { rounds: 3, messages: 1_500, sessions: 20 }],
  [htmlSends, { rounds: 3 }],
  [http, { rounds: 3 }],
  [keptBytes, { messages: 1_000, sessions: 20 }],
];
const ALL = 'all';
const DOCUMENT = 'bench.json';

/** What `--only` may name. */
const PARTS = ['unsigned', 'signed', 'kept', 'fresh', 'postroom', 'few', 'waiting', 'due', 'quality'];

const USAGE = `Usage: npm run bench -- [NAME…] [options]

  ${ALL.padEnd(16)}those with goals, in short: one table of figures, ${DOCUMENT}, exit code 1 where one got worse by a tenth

${BENCHES.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join('\n')}

  --rounds N      rounds of each kind (default 3), after those that warm up
  --messages N    mails of a round (default 1500)
  --sessions N    SMTP sessions side by side (default 20)
  --seconds N     no further round begins after this time (default 150)
  --only WORDS    of what a bench compares, only this: ${PARTS.slice(0, 5).join(', ')},
                  ${PARTS.slice(5).join(', ')} (comma-separated)
  --profile DIR   writes the daemon's CPU profiles there
  --keep          with ${ALL}: keeps these figures for this kind of machine (scripts/bench/kept.json)
  --json          prints one JSON document

All data goes below $TMPDIR (default /tmp): name a directory on the disk that is to be measured.`;

const OPTIONS = {
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    messages: { type: 'string', default: '1500' },
    sessions: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '150' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
} as const;
type Values = ReturnType<typeof parseArgs<typeof OPTIONS>>['values'];

const settingsOf = (values: Values): BenchSettings => {
  const count = (name: 'rounds' | 'messages' | 'sessions' | 'seconds', most: number): number => {
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new Error(`--${name} is a whole number from 1 to ${most}.`);
  };
  const only = values.only.split(',').filter((word) => word !== '');
  const unknown = only.find((word) => !PARTS.includes(word));
  if (unknown !== undefined) throw new Error(`--only knows no "${unknown}": ${PARTS.join(', ')}.`);
  return {
    rounds: count('rounds', 100),
    messages: count('messages', 100_000),
    sessions: count('sessions', 1_000),
    seconds: count('seconds', 3600),
    only,
    profile: values.profile ?? null,
  };
};

const chosen = (
  positionals: readonly string[],
): readonly (readonly [bench: Bench, settings: Partial<BenchSettings>])[] => {
  if (positionals.includes(ALL)) {
    if (positionals.length > 1) throw new Error(`${ALL} has its own benches: name no other beside it.`);
    return SHORT;
  }
  const unknown = positionals.find((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown !== undefined) throw new Error(`There is no bench "${unknown}".\n\n${USAGE}`);
  const named = positionals.length === 0 ? BENCHES : BENCHES.filter(({ name }) => positionals.includes(name));
  return named.map((bench) => [bench, {}]);
};

/** `f_type` of statfs(2): where an fsync costs nothing, nothing is measured. */
const TMPFS_MAGIC = 0x01021994;
const refuseMemoryDisk = (): void => {
  if (statfsSync(tmpdir()).type !== TMPFS_MAGIC) return;
  throw new Error(`${tmpdir()} is memory, not a disk: set TMPDIR to a directory on one.`);
};

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interrupted.abort());

const run = async (): Promise<void> => {
  const { values, positionals } = parseArgs(OPTIONS);
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const settings = settingsOf(values);
  const isAll = positionals.includes(ALL);
  if (isAll && settings.only.length > 0) throw new Error(`${ALL} measures all: --only goes with a bench.`);
  if (values.keep && !isAll) throw new Error(`--keep goes with ${ALL}.`);
  const documents: Record<string, unknown> = {};
  const all: Record<string, Figure> = {};
  refuseMemoryDisk();
  for (const [bench, own] of chosen(positionals)) {
    const { signal } = interrupted;
    const { tables, document, figures } = await bench.run({ ...settings, ...own }, signal, (text) =>
      console.error(text),
    );
    // A bench may end with the figures that it has so far.
    signal.throwIfAborted();
    documents[own.sessions === undefined ? bench.name : `${bench.name} ${own.sessions}`] = document;
    Object.assign(all, figures);
    if (!values.json) for (const table of tables) console.log(`\n${printTable(table)}`);
  }
  if (values.json) console.log(JSON.stringify(documents, null, 2));
  if (!isAll) return;
  const { table, fallen, isCompared } = compareFigures(all);
  if (!values.json) console.log(`\n${printTable(table)}`);
  if (!isCompared) console.error(`Nothing was compared: no figures are kept for ${machineKind()}.`);
  writeFileSync(DOCUMENT, `${JSON.stringify({ machine: machineKind(), figures: all, ...documents }, null, 2)}\n`);
  if (values.keep) keepFigures(all);
  if (fallen.length === 0) return;
  const told = `Worse by more than a tenth: ${fallen.join('; ')}`;
  if (!values.keep) throw new Error(told);
  console.error(`Kept. ${told}`);
};

try {
  await run();
} catch (error) {
  process.exitCode = 1;
  console.error(interrupted.signal.aborted ? 'Interrupted.' : error instanceof Error ? error.message : error);
}
