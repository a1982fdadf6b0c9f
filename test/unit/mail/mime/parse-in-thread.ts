/** Reads a message as the daemon does, in a thread with the daemon's own heap: one that needs more ends the thread. */

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { WORKER_LIMITS } from '../../../../src/workers/limits.ts';

/** @returns the message's defects; rejects where the thread died of it */
export const defectsInThread = (raw: Buffer): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), {
      workerData: raw,
      resourceLimits: { maxOldGenerationSizeMb: WORKER_LIMITS.heapMb },
    });
    thread.once('message', resolve);
    thread.once('error', reject);
  });

if (!isMainThread && parentPort) {
  const { defects } = await parseMail(Buffer.from(workerData as Uint8Array));
  parentPort.postMessage(defects);
}
