/** The vault's master key, which only the operator replaces. */

import { z } from 'zod';
import { OPERATOR, personOperation } from '../../kernel/operation.ts';

export const vaultContract = {
  /**
   * Replaces the master key: wraps every key anew and puts the new one in its place; the old one stays as .old, an
   * earlier one as .old.N.
   */
  rotateKey: personOperation({
    activity: 'vault.rotate_key',
    audience: OPERATOR,
    output: z.object({
      key_file: z.string(),
      old_key_file: z.string(),
      old_key_files: z.array(z.string()).describe('All files of earlier keys; each opens the backups of its time'),
      keys: z.int().describe("Keys that were wrapped anew: the instance's own, and one of each workspace with secrets"),
    }),
  }),
};
