/** A daemon whose data file is locked by another connection while it records the outcome of a delivery. */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type ProcessBox, startProcessBox } from '../harness/process.ts';
import { type ScriptedHost, startScriptedHost } from '../harness/smtp/scripted-host.ts';
import { send } from './outbound-mail.ts';

export interface LockedDelivery extends AsyncDisposable {
  readonly host: ScriptedHost;
  readonly harness: ProcessBox;
  readonly messageId: string;
  /** The data file. */
  readonly path: string;
  /** Releases the lock. */
  release(): void;
}

/** Resolves once the host has accepted a mail; the store has been locked since before its reply. */
export const startLockedDelivery = async (): Promise<LockedDelivery> => {
  let lock: Database.Database | null = null;
  let path = '';
  const { promise: replied, resolve: reply } = Promise.withResolvers<void>();
  const host = await startScriptedHost({
    at: (step) => {
      if (step === 'END' && !lock) {
        lock = new Database(path, { timeout: 10_000 });
        lock.exec('begin immediate');
      }
      if (step === 'AFTER') reply();
      return undefined;
    },
  });
  const harness = await startProcessBox({ outbound: `port = ${host.port}` });
  path = join(harness.instance.directory, 'data', 'postroom.db');
  const messageId = await send(harness.instance);
  await replied;
  return {
    host,
    harness,
    messageId,
    path,
    release: () => lock?.close(),
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
};
