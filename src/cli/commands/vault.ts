/** `postroom vault` */

import { vaultContract } from '../../resources/vault/contract.ts';
import { command } from '../command.ts';
import { details } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const rotateKey = command({
  name: 'vault rotate-key',
  summary: 'replaces the master key while the daemon serves; the old one stays beside it as .old',
  operands: {},
  options: {},
  run: (_given, context) =>
    withOperations(context, async (call) => {
      const document = await call(vaultContract.rotateKey, {});
      return {
        document,
        text: () =>
          [
            details(Object.entries(document)),
            'Back the new key file up, apart from the data. The old one opens backups from before.',
          ].join('\n\n'),
      };
    }),
});

export const vaultCommands = [rotateKey];
