/** Data that cannot be opened: what was asked fails with its cause, and nothing else does. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { lockDataDirectory } from '../../../../src/store/lock-data.ts';
import { createIndexer } from '../../../../src/store/search/indexer.ts';
import { createThreadPool } from '../../../../src/store/search/thread-pool.ts';

const nowhere = (t: { testdir(): string }): string => join(t.testdir(), 'gone', 'postroom.db');

t.test('the indexer tells its fault', async (t) => {
  const fault = Promise.withResolvers<unknown>();
  const worker = new URL('../../../../src/store/sqlite/text-index/indexer.worker.ts', import.meta.url);
  const indexer = createIndexer({ worker, workerData: { file: nowhere(t) }, onFault: fault.resolve });
  for (let texts = 0; texts < 256; texts += 1) indexer.textChanged();
  t.match(await fault.promise, { message: /Cannot open database/ });
  await indexer.close();
});

t.test('a search is refused, each time', async (t) => {
  const worker = new URL('../../../../src/store/sqlite/search-threads.worker.ts', import.meta.url);
  const threads = createThreadPool(worker, { path: nowhere(t) }, { most: 1, idleMs: 10_000 });
  const job = { kind: 'filter', sql: 'select 1', parameters: [], limit: 1, timeMs: 1_000 } as const;
  const search = () => threads.run({ ...job, part: { below: null, downTo: null, after: null } });
  await t.rejects(search(), { message: /Cannot open database/ });
  await t.rejects(search(), { message: /Cannot open database/ });
  await threads.close();
});

t.test('a lock that cannot be made is not told as one that another daemon holds', (t) => {
  const directory = t.testdir();
  mkdirSync(join(directory, 'daemon.lock-journal'));
  t.throws(() => lockDataDirectory(directory), { name: 'SqliteError', code: /^SQLITE_CANTOPEN/ });
  t.end();
});
