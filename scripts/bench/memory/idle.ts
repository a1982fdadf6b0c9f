/** What the built server takes before it has done anything: until it is ready, and of memory at rest. */

import { setTimeout as sleep } from 'node:timers/promises';
import { startInstance } from '../../../test/harness/instance.ts';
import { builtServer, spawnDaemon } from '../../../test/harness/process.ts';
import type { Bench } from '../bench.ts';
import { residentMebibytes } from '../process-usage.ts';
import { median, threeDigits } from '../table.ts';

const REST_MS = 60_000;

export const idle: Bench = {
  name: 'idle',
  summary: 'the built server: seconds until it is ready, and memory a minute after',
  run: async ({ rounds }, signal, say) => {
    await using instance = await startInstance();
    await instance.daemon.stop();
    builtServer();
    const seconds: number[] = [];
    let mebibytes = Number.NaN;
    for (let round = 1; round <= rounds && !signal.aborted; round += 1) {
      const began = performance.now();
      const daemon = spawnDaemon(instance.configPath);
      try {
        await daemon.ready;
        seconds.push((performance.now() - began) / 1_000);
        if (round === rounds) {
          await sleep(REST_MS, undefined, { signal });
          mebibytes = residentMebibytes(daemon.pid);
        }
      } finally {
        await daemon.end('SIGTERM');
      }
    }
    const ready = threeDigits(median(seconds));
    say(`ready after ${ready} s, ${mebibytes} MiB at rest`);
    return {
      tables: [{ title: 'The built server', columns: ['ready after s', 'MiB at rest'], rows: [[ready, mebibytes]] }],
      document: { ready, mebibytes },
      figures: {
        'ready, s': { value: ready, goal: 1, isLessBetter: true },
        'idle, MiB': { value: mebibytes, goal: 130, isLessBetter: true },
      },
    };
  },
};
