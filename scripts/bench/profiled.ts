/** The daemon that a bench measures, profiled where that is asked for. */

import { mkdirSync } from 'node:fs';
import type { InstanceOptions } from '../../test/harness/instance.ts';
import { type ProcessBox, startProcessBox } from '../../test/harness/process.ts';

/** @param profile a directory for the CPU profiles of its threads, which it writes as it ends; null: none */
export const startProfiled = async (profile: string | null, options: InstanceOptions = {}): Promise<ProcessBox> => {
  if (profile === null) return startProcessBox(options);
  mkdirSync(profile, { recursive: true });
  const box = await startProcessBox(options, ['--cpu-prof', `--cpu-prof-dir=${profile}`]);
  const close = box[Symbol.asyncDispose];
  return Object.assign(box, {
    [Symbol.asyncDispose]: async () => {
      await box.daemon.end('SIGTERM');
      await close();
    },
  });
};
