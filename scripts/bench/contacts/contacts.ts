/**
 * What contacts cost to list, search and look up in a book of 1 000 and in one of 100 000: two workspaces of one daemon,
 * request by request by turns, so that both see the same machine.
 */

import { availableParallelism, cpus } from 'node:os';
import { openInstance } from '../../../src/app/instance.ts';
import type { WorkspaceId } from '../../../src/kernel/ids.ts';
import { addKey } from '../../../src/resources/agents/keys/add-key.ts';
import { EMPTY_CONTENT, newContact } from '../../../src/resources/contacts/contact-changes.ts';
import { storedChannels } from '../../../src/resources/contacts/stored-channels.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { insertContacts } from '../../../src/store/contacts/contacts.ts';
import type { TestInstance } from '../../../test/harness/instance.ts';
import type { Bench } from '../bench.ts';
import { startProfiled } from '../profiled.ts';
import { median } from '../table.ts';

const SIZES = { few: 1_000, many: 100_000 } as const;
type Size = keyof typeof SIZES;

/** Contacts of one transaction. */
const SLICE = 500;
/** Requests of each kind in a round: the third slowest of them is the p99. */
const REQUESTS = 300;
const WARM_UP = 50;
/** A key makes 300 requests a minute; none comes near it. */
const REQUESTS_OF_KEY = 200;

const GIVEN = 'Anna Ben Carol Dave Eve Faythe Grace Heidi Ivan Judy Mallory Niaj Olivia Peggy Rupert Sybil'.split(' ');
const SYLLABLES = 'ba ce di fo gu ha ki lo mu ne pi qua ro su ta ve'.split(' ');

/** A name of its own for each number: four syllables tell 65 536. */
const familyName = (at: number): string =>
  [0, 4, 8, 12, 16].map((shift) => SYLLABLES[(at >> shift) & 15] ?? '').join('');

const emailOf = (at: number): string => `${familyName(at)}.${at}@firm${at % 997}.example`;
const phoneOf = (at: number): string => `+4930${10_000_000 + at}`;

const contentOf = (at: number) => ({
  ...EMPTY_CONTENT,
  givenName: GIVEN[at % GIVEN.length] ?? '',
  familyName: familyName(at),
  companyName: `Firm ${at % 997}`,
  notes: 'Customer since the fair, wants offers by mail',
  channels: storedChannels([
    { kind: 'email', value: emailOf(at), label: null },
    { kind: 'phone', value: phoneOf(at), label: null },
  ]),
});

interface Book {
  size: Size;
  keys: string[];
  requests: number;
}

/** Works on the data file beside the daemon. @returns the seconds that it took */
const fill = async (instance: TestInstance, workspaceId: WorkspaceId, contacts: number): Promise<number> => {
  const { store, newId, close } = await openInstance(instance.config);
  const began = performance.now();
  for (let from = 0; from < contacts; from += SLICE) {
    const slice = Array.from({ length: Math.min(SLICE, contacts - from) }, (_, at) =>
      newContact({ newId, now: Date.now() }, workspaceId, contentOf(from + at)),
    );
    await store.write((tx) => insertContacts(tx, workspaceId, slice));
  }
  await close();
  return (performance.now() - began) / 1000;
};

const addKeys = async (instance: TestInstance, handle: string, count: number): Promise<string[]> => {
  const { store, newId, runtime, close } = await openInstance(instance.config);
  const agent = await findAgent(store.read, handle);
  if (!agent) throw new Error(`No agent ${handle}`);
  const wanted = { agentId: agent.id, name: 'bench', scopes: null, reach: 'own' as const, expiresAt: null };
  const keys: string[] = [];
  const needs = { newId, clock: runtime.clock };
  for (let at = 0; at < count; at += 1) keys.push((await store.write((tx) => addKey(needs, tx, wanted))).key);
  await close();
  return keys;
};

/** Which contact a request is about: all over the book. */
const pick = (turn: number, { size }: Book): number => (turn * 7919) % SIZES[size];

const KINDS: Readonly<Record<string, (turn: number, book: Book) => string>> = {
  'list, first page': () => '/v1/contacts',
  'search, a rare word': (turn, book) => `/v1/contacts?q=${familyName(pick(turn, book))}`,
  'search, a word of all': () => '/v1/contacts?q=customer',
  'search, the beginning of one': () => '/v1/contacts?q=cus',
  'search, a common and a rare word': (turn, book) => `/v1/contacts?q=customer+${familyName(pick(turn, book))}`,
  'search, two common words': (turn) => `/v1/contacts?q=customer+${GIVEN[turn % GIVEN.length]}`,
  'look-up, an address': (turn, book) => `/v1/contacts?lookup=${emailOf(pick(turn, book))}`,
  'look-up, a number': (turn, book) => `/v1/contacts?lookup=${encodeURIComponent(phoneOf(pick(turn, book)))}`,
  'look-up, the end of a number': (turn, book) => `/v1/contacts?lookup=${phoneOf(pick(turn, book)).slice(-7)}`,
  'look-up, part of a name': (turn, book) => `/v1/contacts?lookup=${familyName(pick(turn, book)).slice(0, 8)}`,
  duplicates: () => '/v1/contacts/duplicates',
};

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const rounded = (value: number): number => Number(value.toFixed(2));

const run: Bench['run'] = async ({ rounds, seconds, profile }, signal, say) => {
  const end = performance.now() + seconds * 1000;
  await using harness = await startProfiled(profile);
  const { instance } = harness;
  const other = await instance.addWorkspace('Globex');
  await instance.addAgent('zoe', other);
  const kinds = Object.entries(KINDS);
  const keys = Math.ceil((rounds * kinds.length * (REQUESTS + WARM_UP)) / REQUESTS_OF_KEY);
  const books: Book[] = [
    { size: 'few', keys: await addKeys(instance, 'zoe', keys), requests: 0 },
    { size: 'many', keys: await addKeys(instance, 'ann', keys), requests: 0 },
  ];
  const filled = {
    few: await fill(instance, other.id, SIZES.few),
    many: await fill(instance, instance.workspace.id, SIZES.many),
  };
  say(`${SIZES.many} contacts were stored in ${rounded(filled.many)} s`);
  const ask = async (path: string, book: Book): Promise<number> => {
    const key = book.keys[book.requests++ % book.keys.length];
    const began = performance.now();
    const response = await fetch(new URL(path, instance.baseUrl), {
      headers: { authorization: `Bearer ${key}` },
      signal,
    });
    const text = await response.text();
    const took = performance.now() - began;
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return took;
  };

  const figures: { round: number; kind: string; size: Size; median: number; p99: number }[] = [];
  for (let round = 1; round <= rounds && (round === 1 || performance.now() < end); round += 1) {
    const times = kinds.map((): Record<Size, number[]> => ({ few: [], many: [] }));
    for (let turn = 0; turn < REQUESTS + WARM_UP; turn += 1) {
      for (const [of, [, pathOf]] of kinds.entries()) {
        for (const book of turn % 2 === 0 ? books : books.toReversed()) {
          const took = await ask(pathOf(turn * round, book), book);
          if (turn >= WARM_UP) times[of]?.[book.size].push(took);
        }
      }
    }
    for (const [of, [kind]] of kinds.entries()) {
      for (const { size } of books) {
        const sorted = (times[of]?.[size] ?? []).toSorted((a, b) => a - b);
        figures.push({ round, kind, size, median: at(sorted, 0.5), p99: at(sorted, 0.99) });
      }
    }
    say(`round ${round} is done`);
  }
  const of = (kind: string, size: Size, figure: 'median' | 'p99') =>
    median(figures.filter((each) => each.kind === kind && each.size === size).map((each) => each[figure]));
  const compared = kinds.map(([kind]) => ({
    kind,
    few: { median: of(kind, 'few', 'median'), p99: of(kind, 'few', 'p99') },
    many: { median: of(kind, 'many', 'median'), p99: of(kind, 'many', 'p99') },
    medians: of(kind, 'many', 'median') / of(kind, 'few', 'median'),
    ratio: of(kind, 'many', 'p99') / of(kind, 'few', 'p99'),
  }));
  return {
    tables: [
      {
        title: `Milliseconds of a request with ${SIZES.few} and with ${SIZES.many} contacts, and their ratios`,
        columns: ['request', 'few median', 'few p99', 'many median', 'many p99', 'medians', 'p99s'],
        rows: compared.map(({ kind, few, many, medians, ratio }) => [
          kind,
          ...[few.median, few.p99, many.median, many.p99, medians, ratio].map(rounded),
        ]),
      },
    ],
    document: {
      machine: { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), node: process.version },
      filledSeconds: filled,
      figures,
      compared,
    },
  };
};

export const contacts: Bench = {
  name: 'contacts',
  summary: 'what contacts cost to list, search and look up, in a book of 1 000 and in one of 100 000',
  run,
};
