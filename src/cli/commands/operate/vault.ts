/** `postroom vault` */

import { vaultContract } from '../../../resources/vault/contract.ts';
import { command } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { flag } from '../../parameters.ts';
import { details } from '../../table.ts';
import { withOperations } from '../../with-operations.ts';

/** @param keys one of the instance, and one of each workspace that has secrets */
const formatKeys = (keys: number): string =>
  `the instance's own key, and those of ${keys - 1} workspace${keys === 2 ? '' : 's'} with secrets`;

const rotateKey = command({
  name: 'vault rotate-key',
  summary:
    'replaces the master key while the daemon serves; the old one stays beside it as .old, an earlier .old as .old.1, .old.2 and so on',
  namesFiles: true,
  operands: {},
  options: { yes: flag('do not ask') },
  run: async ({ yes }, context) => {
    await confirm('Replace the master key of the vault?', yes);
    return withOperations(context, async (call) => {
      const document = await call(vaultContract.rotateKey, {});
      return {
        document,
        text: () =>
          [
            details([
              ['key file', document.key_file],
              ['earlier keys', document.old_key_files.join(', ')],
              ['wrapped anew', formatKeys(document.keys)],
            ]),
            'Back the new key file up, apart from the data. Each earlier one opens the backups of its time; to restore such a\n' +
              'backup, put its key in the place of the key file. Remove those whose backups are gone.',
          ].join('\n\n'),
      };
    });
  },
});

export const vaultCommands = [rotateKey];
