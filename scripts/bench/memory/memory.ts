/** What the daemon holds, and what a mail costs, while the store grows. Round by round into the same mailbox. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { startPostroom } from '../postroom.ts';
import { residentMebibytes } from '../process-usage.ts';
import { BODY_BYTES, createSender, SENDER } from '../sender.ts';
import { sendLoad } from '../smtp-source.ts';

/** For what a load leaves to be tidied: sessions end, the WAL is written back. */
const SETTLE_MS = 3_000;

const run: Bench['run'] = async ({ rounds, messages, sessions, profile }, signal, say) => {
  await using postroom = await startPostroom(profile);
  const { instance, daemon } = postroom.harness;
  const to = instance.agents.ann.address;
  const sender = await createSender(instance.dns.zone);
  const steps: { mails: number; perSecond: number; residentMib: number; databaseMib: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const subject = `round${round}memory`;
    const mails = await sender.write(messages, to, subject, false, `${subject}last`);
    const seconds = await sendLoad(
      { ports: [postroom.port], from: SENDER, to, mails, sessions, keptConnections: true },
      signal,
    );
    await postroom.delivered(messages, `${subject}last`, signal);
    await sleep(SETTLE_MS, undefined, { signal });
    const step = {
      mails: round * messages,
      perSecond: Math.round(messages / seconds),
      residentMib: residentMebibytes(daemon.pid),
      databaseMib: Math.round(statSync(join(instance.directory, 'data', 'postroom.db')).size / 1024 ** 2),
    };
    say(`${step.mails} mails: ${step.residentMib} MiB, ${step.perSecond} a second`);
    steps.push(step);
  }
  const title = `The daemon while mails of ${BODY_BYTES} bytes gather in one mailbox`;
  const rows = steps.map((step) => [step.mails, step.perSecond, step.residentMib, step.databaseMib]);
  return {
    tables: [{ title, columns: ['mails', 'accepted/s', 'resident MiB', 'database MiB'], rows }],
    document: { steps },
  };
};

export const memory: Bench = { name: 'memory', summary: 'what the daemon holds while its store grows', run };
