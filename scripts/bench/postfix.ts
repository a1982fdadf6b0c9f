/** Postfix as the other contestant of the inbound bench: it delivers to a Maildir by virtual(8). */

import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostfix } from '../../test/harness/smtp/postfix.ts';
import type { Contestant } from './contestant.ts';
import { familyCpuSeconds } from './process-usage.ts';

const POLL_MS = 20;
const DELIVERED_WITHIN_MS = 120_000;

/** @param domain whose mail it takes, whatever the local part */
export const startPostfixContestant = async (domain: string): Promise<Contestant> => {
  const postfix = await startPostfix({ domains: [domain] });
  return {
    name: 'postfix',
    port: postfix.port,
    delivered: async (messages, _last, signal) => {
      const end = performance.now() + DELIVERED_WITHIN_MS;
      while (postfix.arrived().length < messages) {
        if (performance.now() > end) {
          throw new Error(`Postfix delivered ${postfix.arrived().length} of ${messages} mails.`);
        }
        await sleep(POLL_MS, undefined, { signal });
      }
    },
    tidy: async () => {
      for (const file of postfix.arrived()) rmSync(file);
    },
    cpuSeconds: () => familyCpuSeconds(postfix.masterPid),
    mainThreadSeconds: () => null,
    peakMebibytes: () => null,
    [Symbol.asyncDispose]: () => postfix[Symbol.asyncDispose](),
  };
};
