/** A search thread. */

import { workerData } from 'piscina';
import { createSearching, type RunSearch } from './searching.ts';

const { path } = workerData as { path: string };
let search: RunSearch | null = null;

/** The data is opened within a task: an error that is thrown while a thread starts is no task's, and would end the process. */
export default (job: Parameters<RunSearch>[0]): ReturnType<RunSearch> => {
  search ??= createSearching(path);
  return search(job);
};
