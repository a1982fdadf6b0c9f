/** Reads messages as the daemon does, in a thread with the daemon's own heap: one that needs more ends the thread. */

import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { WORKER_LIMITS } from '../../../../src/workers/limits.ts';

export interface ReadingThread extends AsyncDisposable {
  /** @returns the message's defects; rejects where the thread died of it */
  defectsOf(raw: Buffer): Promise<string[]>;
}

export const startReadingThread = (): ReadingThread => {
  const thread = new Worker(new URL(import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: WORKER_LIMITS.heapMb },
  });
  return {
    defectsOf: (raw) =>
      new Promise((resolve, reject) => {
        thread.removeAllListeners();
        thread.once('message', resolve);
        thread.once('error', reject);
        thread.postMessage(raw);
      }),
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  };
};

if (!isMainThread && parentPort) {
  const port = parentPort;
  port.on('message', async (raw: Uint8Array) => port.postMessage((await parseMail(Buffer.from(raw))).defects));
}
