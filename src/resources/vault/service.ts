import type { Handlers } from '../../kernel/handlers.ts';
import { rotateMasterKey } from '../../vault/rotate-key.ts';
import type { Needs } from '../needs.ts';
import type { vaultContract } from './contract.ts';

export const createVaultOperations = ({
  store,
  clock,
  vaultKeyFile,
}: Needs<'store' | 'clock' | 'vaultKeyFile'>): Handlers<typeof vaultContract> => ({
  rotateKey: (_caller, _input, { record }) =>
    rotateMasterKey({ store, clock, keyFile: vaultKeyFile }, (tx, { keyFile, oldKeyFile, oldKeyFiles, keys }) =>
      record(
        tx,
        { workspaceId: null, subject: 'vault', detail: { keys } },
        { key_file: keyFile, old_key_file: oldKeyFile, old_key_files: oldKeyFiles, keys },
      ),
    ),
});
