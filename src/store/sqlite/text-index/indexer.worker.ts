/** The thread that writes the full-text index: one batch for each call. */

import { workerData } from 'node:worker_threads';
import type { IndexedBatch, IndexJob } from '../../search/indexer.ts';
import { type Connection, openConnection } from '../open-database.ts';
import { isBroken, openIndexForWriting, removeIndexFile } from './index-file.ts';
import { createTextIndexing } from './index-texts.ts';

/** Pages of the texts in memory, in KiB: each is read once. */
const CACHE_KIB = -4_096;

const { file } = workerData as { file: string };

let data: Connection | null = null;
let index: Connection | null = null;
let indexBatch: ReturnType<typeof createTextIndexing> = () => null;
/**
 * Whether every batch has failed since the index was made again: a lasting fault is then reported, and the index not
 * made again without end.
 */
let isAnew = false;

/** Runs within a task: an error thrown while a thread starts belongs to no task and would end the process. */
const open = (): void => {
  if (data === null) {
    data = openConnection(file, 'read');
    data.pragma(`cache_size = ${CACHE_KIB}`);
  }
  index = openIndexForWriting(file);
  indexBatch = createTextIndexing(data, index);
};

const close = (): void => {
  index?.close();
  index = null;
};

/** The next batch begins an empty one. */
const startAnew = (): IndexedBatch => {
  close();
  removeIndexFile(file);
  isAnew = true;
  return { isMore: true };
};

export default ({ isDamaged }: IndexJob): IndexedBatch => {
  if (isDamaged) return startAnew();
  try {
    if (index === null) open();
    const batch = indexBatch() ?? startAnew();
    isAnew = index === null;
    return batch;
  } catch (error) {
    if (isBroken(error) && !isAnew) return startAnew();
    close();
    throw error;
  }
};
