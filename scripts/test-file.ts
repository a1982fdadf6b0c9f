/**
 * Runs one test file, as `node FILE` does, without tap's async hook. The hook tells which test an uncaught error belongs to,
 * and is called for every promise: up to a fifth of what a file costs. Without it the error ends the file, which fails as well.
 */

import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const none: asyncHooks.AsyncHook = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
syncBuiltinESMExports();

const file = process.argv[2];
if (file === undefined) throw new Error('usage: node scripts/test-file.ts FILE');
await import(pathToFileURL(resolve(file)).href);
