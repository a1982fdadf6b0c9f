/**
 * A process that runs the test files that `run-tests.ts` names, one after the other. Code that ran once is compiled and warm
 * for the next file: that is half of what a file costs. Each file's `tap` is a test of its own below the process's.
 *
 * tap's async hook is left out. It tells which test an uncaught error belongs to, and is called for every promise: up to a
 * fifth of what a file costs. Without it the error ends the process, and the file fails as well.
 */

import asyncHooks from 'node:async_hooks';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { keepKeys } from './kept-keys.ts';
import { keepThreads } from './kept-threads.ts';
import { matchWholeArrays } from './whole-arrays.ts';

const none: asyncHooks.AsyncHook = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
keepKeys();
keepThreads(process.env.TEST_NEW_THREADS === undefined);
syncBuiltinESMExports();
matchWholeArrays();
const { default: root } = await import('tap');

/** The test of each file, by the URL of the file. */
const tests = new Map<string, Test>();
const SCHEME = 'tap-of:';
Object.assign(globalThis, { tapOf: (url: string) => tests.get(url) });
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'tap' && tests.has(context.parentURL ?? '')
      ? { url: `${SCHEME}${context.parentURL}`, format: 'module', shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url.startsWith(SCHEME)
      ? {
          source: `export default globalThis.tapOf(${JSON.stringify(url.slice(SCHEME.length))})`,
          format: 'module',
          shortCircuit: true,
        }
      : next(url, context),
});

/** Each line names a file; its result is a line `ok N - FILE` or `not ok N - FILE`. */
for await (const file of createInterface(process.stdin)) {
  await root.test(file, { timeout: 0 }, async (t) => {
    const { href } = pathToFileURL(file);
    tests.set(href, t);
    await import(href);
  });
}
root.end();
/** Said only where something still holds the process. */
const LOOK_AFTER_MS = 5_000;
setTimeout(() => console.error('open:', ...process.getActiveResourcesInfo()), LOOK_AFTER_MS).unref();
