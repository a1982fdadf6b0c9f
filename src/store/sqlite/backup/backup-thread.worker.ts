/** The thread of backup-thread.ts: one backup, then it ends. */

import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../kernel/text/message-of.ts';
import { BackupError } from '../../store-errors.ts';
import { writeBackup } from '../backup-file.ts';

export type BackupReply = { kind: 'written'; octets: number } | { kind: 'refused' | 'failed'; message: string };

const { source, target } = workerData as { source: string; target: string };

const write = async (): Promise<BackupReply> => {
  try {
    return { kind: 'written', octets: await writeBackup(source, target) };
  } catch (error) {
    const message = messageOf(error);
    return { kind: error instanceof BackupError ? 'refused' : 'failed', message };
  }
};

parentPort?.postMessage(await write());
