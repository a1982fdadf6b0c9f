/** The daemon under measurement: a process of its own, with all checks on and the sender's records in its DNS. */

import { setTimeout as sleep } from 'node:timers/promises';
import { idToBytes } from '../../src/kernel/ids.ts';
import { findAgent } from '../../src/store/accounts/agents.ts';
import type { InstanceOptions } from '../../test/harness/instance.ts';
import type { ProcessBox } from '../../test/harness/process.ts';
import type { Contestant } from './contestant.ts';
import { cpuSeconds, mainThreadSeconds, peakMebibytes } from './process-usage.ts';
import { startProfiled } from './profiled.ts';

const POLL_MS = 5;
const FOUND_WITHIN_MS = 30_000;

export interface PostroomContestant extends Contestant {
  readonly harness: ProcessBox;
}

/** @param profile a directory for the CPU profiles that the daemon writes when it ends */
export const startPostroom = async (
  profile: string | null,
  options: InstanceOptions = {},
): Promise<PostroomContestant> => {
  const harness = await startProfiled(profile, options);
  const { instance } = harness;
  const { ann } = instance.agents;
  const client = instance.client(ann);
  const { pid } = harness.daemon;
  const countMails = (): Promise<number> =>
    instance.inStore(async ({ read }) => {
      const agent = await findAgent(read, ann.handle);
      if (!agent) throw new Error('No agent.');
      const { count } = read.fn;
      const row = await read
        .selectFrom('messages')
        .select(count<number>('seq').as('mails'))
        .where('mailbox_id', '=', idToBytes(agent.mailboxId))
        .executeTakeFirst();
      return Number(row?.mails);
    });
  let before = await countMails();

  return {
    name: 'postroom',
    port: instance.smtpPort,
    harness,
    delivered: async (_messages, last, signal) => {
      const end = performance.now() + FOUND_WITHIN_MS;
      while ((await client.search.search({ q: last, limit: 1 })).hits.length === 0) {
        if (performance.now() > end) throw new Error(`The search does not find ${last}.`);
        await sleep(POLL_MS, undefined, { signal });
      }
    },
    tidy: async (messages, marker) => {
      const now = await countMails();
      if (now - before !== messages) throw new Error(`${now - before} of ${messages} accepted mails are stored.`);
      before = now;
      const found = new Set<string>();
      for (let cursor: string | undefined; found.size < messages; ) {
        const page = await client.search.search({ q: marker, limit: 50, ...(cursor && { cursor }) });
        for (const { message_id } of page.hits) found.add(message_id);
        if (page.next_cursor === null) break;
        cursor = page.next_cursor;
      }
      if (found.size !== messages) throw new Error(`The search finds ${found.size} of ${messages} mails.`);
    },
    cpuSeconds: () => cpuSeconds(pid),
    mainThreadSeconds: () => mainThreadSeconds(pid),
    peakMebibytes: () => peakMebibytes(pid),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
};
