/** A vault on a small store, with a key file of its own. */

import { join } from 'node:path';
import type { Test } from 'tap';
import { systemClock } from '../../../src/kernel/clock.ts';
import { writeKeyFile } from '../../../src/seal/key-file.ts';
import { createLeakGuard } from '../../../src/vault/leak-guard.ts';
import { createVault } from '../../../src/vault/vault.ts';
import { openVaultKeys } from '../../../src/vault/vault-keys.ts';
import { openSmallStore } from '../../harness/small-store.ts';

export const openSmallVault = async (t: Test) => {
  const small = await openSmallStore(t);
  const { store, newId } = small;
  const keyFile = join(t.testdir(), 'vault.key');
  writeKeyFile(keyFile);
  /** As another process that opens the same data now. */
  const openKeys = () =>
    openVaultKeys({
      store,
      clock: systemClock,
      file: { path: keyFile, isCredential: false },
      resealLegacy: async () => true,
    });
  const openVault = async () => {
    const keys = await openKeys();
    const leakGuard = createLeakGuard(keys);
    return { keys, leakGuard, ...createVault({ keys, leakGuard, clock: systemClock, newId }) };
  };
  return { ...small, keyFile, openKeys, openVault };
};
