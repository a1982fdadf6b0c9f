/**
 * A thread of kept-threads.ts. For each instance it evaluates its file and Piscina's anew, with that instance's data. What
 * they import stays, compiled and warm. What an instance has left running or open is ended before the next one.
 */

import { createRequire, Module, syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import workerThreads, { type MessagePort, parentPort } from 'node:worker_threads';
import type { RELEASE, Start } from './kept-threads.ts';

const require = createRequire(import.meta.url);
const main = require.resolve('piscina');
const PISCINA = main.replace(/[\w.-]+$/, 'worker.js');
/** Files of threads that open a database. */
const DATABASE = /\.worker\.js$/;
const intervals = new Set<NodeJS.Timeout>();
const opened = new Set<{ close(): void }>();

const { setInterval } = globalThis;
globalThis.setInterval = ((...asked: Parameters<typeof setInterval>) => {
  const timer = setInterval(...asked);
  intervals.add(timer);
  return timer;
}) as typeof setInterval;

/** Has what is loaded under the path be these exports. */
const provide = (path: string, exports: object): void => {
  require.cache[path] = Object.assign(new Module(path), { exports, loaded: true });
};

/** Has each database that is opened be known here. */
const watchDatabases = (): void => {
  const path = require.resolve('better-sqlite3');
  const Database = require(path) as new (...asked: unknown[]) => { close(): void };
  const Watched = class extends Database {
    constructor(...asked: unknown[]) {
      super(...asked);
      opened.add(this);
    }
  };
  provide(path, Object.assign(Watched, Database));
};

const port = parentPort as MessagePort;
const { on } = port;
let count = 0;
const start = async ({ built, workerData, message }: Start): Promise<void> => {
  if (count === 0 && DATABASE.test(built)) watchDatabases();
  count += 1;
  Object.assign(workerThreads, { workerData });
  syncBuiltinESMExports();
  const { href } = pathToFileURL(built);
  // Piscina asks for the source.
  provide(message.filename, { __esModule: true, ...(await import(`${href}?${count}`)) });
  delete require.cache[PISCINA];
  let started: unknown;
  // It listens to the port that this file listens to.
  port.on = (_name, listen) => {
    started = listen(message);
    return port;
  };
  require(PISCINA);
  await started;
};

const release = (): void => {
  for (const timer of intervals) clearInterval(timer);
  for (const each of opened) each.close();
  intervals.clear();
  opened.clear();
  port.postMessage('release' satisfies typeof RELEASE);
};

let last = Promise.resolve();
on.call(port, 'message', (message: Start | typeof RELEASE) => {
  last = last.then(() => (message === 'release' ? release() : start(message)));
});
