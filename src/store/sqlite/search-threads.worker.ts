/** A search thread. */

import { workerData } from 'node:worker_threads';
import { createSearching, type RunSearch } from './searching.ts';

const { path } = workerData as { path: string };
let search: RunSearch | null = null;

/** Opens the data within a task: an error thrown while a thread starts belongs to no task and would end the process. */
export default (job: Parameters<RunSearch>[0]): ReturnType<RunSearch> => {
  search ??= createSearching(path);
  return search(job);
};
