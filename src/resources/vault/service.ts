/** The vault resource. */

import type { Clock } from '../../kernel/clock.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { Store } from '../../store/store.ts';
import { rotateMasterKey } from '../../vault/rotate-key.ts';
import type { vaultContract } from './contract.ts';

export interface VaultNeeds {
  store: Store;
  clock: Clock;
  vaultKeyFile: string;
}

export const createVaultOperations = ({ store, clock, vaultKeyFile }: VaultNeeds): Handlers<typeof vaultContract> => ({
  rotateKey: (_caller, _input, { record }) =>
    rotateMasterKey({ store, clock, keyFile: vaultKeyFile }, (tx, { keyFile, oldKeyFile, oldKeyFiles, keys }) =>
      record(
        tx,
        { workspaceId: null, subject: 'vault', detail: { keys } },
        { key_file: keyFile, old_key_file: oldKeyFile, old_key_files: oldKeyFiles, keys },
      ),
    ),
});
