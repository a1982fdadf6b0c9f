/** Runs scenarios of the conformance suite in one process: a start of its program costs more than a scenario. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROGRAM = pathToFileURL(resolve(import.meta.dirname, '../../consumer/node_modules/.bin/conformance')).href;

/** Each argument is a JSON list of the program's own. What each run prints comes after its number in a line. */
for (const [at, words] of process.argv.slice(2).entries()) {
  console.log(`\n== ${at}`);
  process.argv = [...process.argv.slice(0, 2), ...(JSON.parse(words) as string[])];
  const ended = Promise.withResolvers<void>();
  process.exit = (() => ended.resolve()) as typeof process.exit;
  await import(`${PROGRAM}?${at}`);
  await ended.promise;
}
