/**
 * Loaded into each test's process and its threads: a worker thread runs the built server's file, as one that is installed
 * does. To load the sources, a hundred files, costs a thread as much as most tests do.
 */

import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const BUILT = new URL('../build/server/', import.meta.url);
/** What a thread is started with: `scripts/build-server.ts` makes a file of each. */
const ENTRY = /\/src\/(?:workers\/entry|.*\.worker)\.ts$/;

if (!isMainThread) {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (!ENTRY.test(specifier)) return next(specifier, context);
      // The built file leads to no source, and a hook makes each look-up of a package slower.
      hooks.deregister();
      const { href: url } = new URL(`${basename(specifier, '.ts')}.js`, BUILT);
      return { url, format: 'module', shortCircuit: true };
    },
  });
}
