/** What the search for secrets adds to a send, by the number of secrets of the workspace and the size of the mail. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Instance, openInstance } from '../../src/app/instance.ts';
import type { WorkspaceId } from '../../src/kernel/ids.ts';
import { renderMarkdown } from '../../src/mail/compose/render-markdown.ts';
import { findLeaks, htmlPieces, type LeakPiece } from '../../src/workers/find-leak.ts';
import { startInstance } from '../../test/harness/instance.ts';
import type { Bench } from './bench.ts';
import { median } from './table.ts';

const COUNTS = [1, 100, 1_000] as const;
const WARM_UP = 200;
const SENDS = 1_000;
const LARGE_SENDS = 5;
const ATTACHED_BYTES = 10 * 1024 * 1024;

const EVERYDAY = new URL('../../test/everyday/', import.meta.url);
/** As long as mail is that was not written by hand. */
const TEXT = readFileSync(new URL('mailing-list.txt', EVERYDAY), 'utf8').repeat(7);
const HTML = readFileSync(new URL('airline.html', EVERYDAY), 'utf8').repeat(3);

const addSecrets = async ({ store, vault }: Instance, workspaceId: WorkspaceId, from: number, to: number) => {
  for (let at = from; at < to; at += 1) {
    const value = { username: `user${at}`, password: randomBytes(18).toString('base64') };
    await store.write((tx) => vault.add(tx, { workspaceId, name: `s${at}`, type: 'login', tags: [], value }));
  }
};

/** @returns milliseconds of each run */
const timed = async (runs: number, work: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = [];
  for (let at = 0; at < runs; at += 1) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  return times;
};

const pieces = (...contents: LeakPiece['content'][]): LeakPiece[] =>
  contents.map((content) => ({ where: 'text', content }));

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000;
const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

export const leakGuard: Bench = {
  name: 'leak-guard',
  summary: "what the search for the vault's secrets adds to a send",
  run: async (_settings, signal, say) => {
    await using box = await startInstance();
    const instance = await openInstance(box.config);
    const { store, leakGuard: guard } = instance;
    const workspaceId = box.workspace.id;
    const ordinary: LeakPiece[] = [...pieces('A newsletter', TEXT), ...htmlPieces(renderMarkdown(TEXT), 'text')];
    const withHtml: LeakPiece[] = [...pieces('A receipt', TEXT), ...htmlPieces(HTML, 'html')];
    const attached: LeakPiece[] = [...ordinary, ...pieces(randomBytes(ATTACHED_BYTES))];
    const rows: (string | number)[][] = [];
    let made = 0;
    for (const count of COUNTS) {
      signal.throwIfAborted();
      say(`${count} secrets`);
      await addSecrets(instance, workspaceId, made, count);
      made = count;
      const [load = 0] = await timed(1, () => guard.find(store.read, workspaceId));
      const find = () => guard.find(store.read, workspaceId);
      const check = await find();
      if (check.kind !== 'index') throw new Error('The leak guard has no index.');
      const search = (mail: LeakPiece[]) => () => findLeaks(check.index, mail);
      await timed(WARM_UP, search(ordinary));
      await timed(WARM_UP, search(withHtml));
      const found = await timed(SENDS, find);
      const plain = await timed(SENDS, search(ordinary));
      const html = await timed(SENDS, search(withHtml));
      const large = await timed(LARGE_SENDS, search(attached));
      rows.push([count, ...[load, median(found), median(plain), p99(plain), median(html), median(large)].map(round)]);
    }
    await instance.close();
    const columns = ['secrets', 'first load', 'main thread', 'text', 'text p99', 'with HTML', 'with 10 MiB attached'];
    const sizes = `text ${TEXT.length} characters, HTML ${HTML.length}; milliseconds, all but the first two in a worker thread`;
    return { tables: [{ title: sizes, columns, rows }], document: { columns, rows } };
  },
};
