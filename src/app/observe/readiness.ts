/** Whether the instance accepts mail and opens its vault, for `/readyz`. */

import type { Config } from '../../config/config.ts';
import { SECOND } from '../../kernel/clock.ts';
import { dataFilesOf } from '../../store/data-files.ts';
import { putSetting } from '../../store/settings.ts';
import { UnwritableError } from '../../store/store-errors.ts';
import type { Readiness } from '../../transports/rest/documents.ts';
import type { VaultState } from '../../vault/vault-keys.ts';
import type { Storage } from '../storage.ts';

/** The setting that is written to test whether the data is writable. */
const WRITTEN_AT = 'readiness-written-at';
/** Limits the commits that frequent probes cause. */
const WRITE_EVERY_MS = 10 * SECOND;

const VAULT_STATES: Readonly<Record<VaultState, string>> = {
  open: 'open',
  missing: 'key missing',
  refused: 'key file has a wrong mode or content',
  other: 'key does not fit',
  late: 'signs after a restart',
};

export const createReadiness = (
  { data_dir: folder, smtp, storage }: Config,
  { store, vaultKeys, check, runtime: { clock } }: Storage,
): (() => Promise<Readiness>) => {
  const data = dataFilesOf(storage.url);
  let writtenAt = Number.NEGATIVE_INFINITY;

  /** @returns null where mail can be accepted */
  const findMailFault = async (): Promise<string | null> => {
    const free = await data.freeBytes(folder);
    if (free < smtp.min_free_bytes) return `the disk has ${free} bytes free, fewer than smtp.min_free_bytes`;
    const now = clock.now();
    if (Math.abs(now - writtenAt) < WRITE_EVERY_MS) return null;
    try {
      await store.write((tx) => putSetting(tx, WRITTEN_AT, Buffer.from(String(now))));
    } catch (error) {
      if (error instanceof UnwritableError) return `the data takes no writes: ${error.message}`;
      throw error;
    }
    writtenAt = now;
    return null;
  };

  return async () => {
    await check();
    const fault = await findMailFault();
    const vault = await vaultKeys.state(store.read);
    // Without a key file mail is received and read; another key means that the data is of another installation.
    return {
      ready: fault === null && vault !== 'other',
      detail: { mail: fault ?? 'taken', vault: VAULT_STATES[vault] },
    };
  };
};
