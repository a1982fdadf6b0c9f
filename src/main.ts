/** The one entry: `postroom serve` and every other command. */

import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// A start costs a third less with the compiled code kept. Beside the dependencies, not in a /tmp that others write to;
// where it cannot be written it is done without.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/postroom', import.meta.url)));
const { runCommandLine } = await import('./cli/run.ts');

// Whoever reads our output may stop reading, as `head` does; that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// Ended outright: a start that failed half-way leaves threads behind that would keep the process.
process.exit(await runCommandLine(process.argv.slice(2)));
