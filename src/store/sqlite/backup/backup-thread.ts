/** Writes a backup in a thread of its own: reading all data holds up no event loop. */

import { Worker } from 'node:worker_threads';
import { BackupError } from '../../store-errors.ts';
import type { BackupReply } from './backup-thread.worker.ts';

/** @returns the backup's octets @throws BackupError where the file is there already */
export const writeBackupAside = (source: string, target: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./backup-thread.worker.ts', import.meta.url), {
      workerData: { source, target },
    });
    worker.once('message', (reply: BackupReply) => {
      if (reply.kind === 'written') resolve(reply.octets);
      else reject(reply.kind === 'refused' ? new BackupError(reply.message) : new Error(reply.message));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The backup's thread ended with ${code}.`)));
  });
