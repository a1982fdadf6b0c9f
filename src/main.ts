/** The one entry: `postroom serve` and every other command. */

import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PROJECT_ROOT } from './kernel/files/project-root.ts';

// Cached compiled code shortens a start by a third. The cache is beside the dependencies, not in a /tmp that other users
// write to; where it is not writable, the start goes without.
enableCompileCache(fileURLToPath(new URL('node_modules/.cache/postroom', PROJECT_ROOT)));
const { runCommandLine } = await import('./cli/run.ts');

// A reader that closes the pipe early, as `head` does, is not a failure: EPIPE exits with 0.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// Exits explicitly: threads of a start that failed half-way would keep the process alive.
process.exit(await runCommandLine(process.argv.slice(2)));
