import { vaultContract } from '../../../resources/vault/contract.ts';
import { flag, operationCommand } from '../../command.ts';
import { details } from '../../table.ts';

/** @param keys the instance's, and one for each workspace with secrets */
const formatKeys = (keys: number): string =>
  `the instance's own key, and those of ${keys - 1} workspace${keys === 2 ? '' : 's'} with secrets`;

const rotateKey = operationCommand({
  name: 'vault rotate-key',
  summary:
    'replaces the master key while the daemon serves; the old one stays beside it as .old, an earlier .old as .old.1, .old.2 and so on',
  namesFiles: true,
  options: { yes: flag('do not ask') },
  question: () => 'Replace the master key of the vault?',
  call: (call) => call(vaultContract.rotateKey, {}),
  text: ({ key_file, old_key_files, keys }) =>
    [
      details([
        ['key file', key_file],
        ['earlier keys', old_key_files.join(', ')],
        ['wrapped anew', formatKeys(keys)],
      ]),
      'Back the new key file up, apart from the data. Each earlier one opens the backups of its time; to restore such a\n' +
        'backup, put its key in the place of the key file. Remove those whose backups are gone. Other boxes of the installation\n' +
        'open nothing until they have a copy of the new one.',
    ].join('\n\n'),
});

export const vaultCommands = [rotateKey];
