/** `npm run torture -- --minutes N`: all kinds of work under all kinds of blows, and a count of what was lost or doubled. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Findings } from '../fuzz/findings.ts';
import { torture } from './torture.ts';

const USAGE = `Usage: npm run torture -- [--minutes N] [--seed S]

Mail in and out, booked sends, REST, webhooks and the console go on while the daemon is killed every 2 to 30 s, its disk
is full, its clock jumps, connections break and damaged mail comes in. For the last third nothing kills it: memory and
descriptors are compared. Exit code 1 where something acknowledged is lost, something is doubled without a cause, an event
is not told, an answer is a 5xx, or memory grows. Needs Debian's packages faketime and postfix (scripts/test-deps).

  --minutes N   how long, 1 to 1440 (default 10)
  --seed S      the same choices again (default: by the clock)`;

const run = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return true;
  }
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  if (!(minutes >= 1 && minutes <= 1_440) || !Number.isInteger(seed)) throw new Error(USAGE);
  const directory = mkdtempSync(join(tmpdir(), 'postroom-torture-'));
  console.log(`seed ${seed}, ${minutes} min, findings in ${directory}`);
  const findings = new Findings(directory);
  const { verdict, lines } = await torture({ seconds: minutes * 60, seed, findings });
  for (const line of lines) console.log(line);
  for (const { what, times } of findings) console.log(`${times} times ${what.split('\n', 1)[0]}`);
  return verdict.isGood && findings.count === 0;
};

// The daemon ends with this process.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    console.error('Interrupted.');
    process.exit(1);
  });
}
try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  process.exitCode = 1;
  console.error(error instanceof Error ? error.message : error);
}
