/** Reads messages as the daemon does, in a thread with the daemon's own heap: one that needs more ends the thread. */

import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { WORKER_LIMITS } from '../../../../src/workers/limits.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

interface ReadMessage {
  defects: string[];
  /** That the thread has run on a processor. */
  ms: number;
}

export interface ReadingThread extends AsyncDisposable {
  /** Rejects where the thread died of the message. */
  read(raw: Buffer): Promise<ReadMessage>;
}

export const startReadingThread = (): ReadingThread => {
  const thread = new Worker(new URL(import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: WORKER_LIMITS.heapMb },
  });
  return {
    read: (raw) =>
      new Promise<ReadMessage>((resolve, reject) => {
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
  port.on('message', async (raw: Uint8Array) => {
    const began = processorMs();
    const { defects } = await parseMail(Buffer.from(raw));
    port.postMessage({ defects, ms: processorMs() - began } satisfies ReadMessage);
  });
}
