/** The one entry: `postroom serve` and every other command. */

import { runCommandLine } from './cli/run.ts';

// Whoever reads our output may stop reading, as `head` does; that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// Ended outright: a start that failed half-way leaves threads behind that would keep the process.
process.exit(await runCommandLine(process.argv.slice(2)));
