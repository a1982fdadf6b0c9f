/** The instance, for owners of workspaces made by its operator: the doctor's findings, and backups. */

import { z } from 'zod';
import { timeOutput } from '../../kernel/fields.ts';
import { OWNER, personOperation } from '../../kernel/operation.ts';

const visitShape = z.object({
  at: timeOutput,
  findings: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['ok', 'warn', 'fail', 'skipped']),
      detail: z.string(),
      fix: z.string().nullable(),
    }),
  ),
});

export const backupShape = z.object({
  file: z.string(),
  octets: z.int(),
  at: timeOutput,
  by: z.enum(['console', 'command', 'nightly']),
});

export const operatorMailShape = z.object({
  id: z.string(),
  from: z.string(),
  doubtful: z.boolean().describe('Nothing proves the sender, or it looks like spam'),
  subject: z.string(),
  snippet: z.string(),
  at: timeOutput,
});

export const instanceContract = {
  /** What the doctor found at its last visit, and the newest backups; null for a workspace that signed up. */
  get: personOperation({
    audience: OWNER,
    output: z.object({
      instance: z
        .object({
          doctor: visitShape.nullable(),
          backups: z
            .array(backupShape)
            .nullable()
            .describe('Null where the data is in a database server, which has its own'),
          operator: z
            .object({
              address: z.string().nullable().describe('To which this mail is passed on'),
              mail: z.array(operatorMailShape),
            })
            .nullable()
            .describe('Mail to postmaster, abuse and hostmaster of the server; null for whom it is not'),
          signup_open: z.boolean().describe('Whether agents make workspaces for themselves'),
        })
        .nullable(),
    }),
  }),
  /** Has the doctor examine the installation now, which takes up to a minute. */
  examine: personOperation({
    audience: OWNER,
    output: visitShape,
  }),
  /** Writes all data of the instance into a compressed file beside it, without the vault's key. */
  backUp: personOperation({
    audience: OWNER,
    activity: 'backup.write',
    output: backupShape.extend({ seconds: z.number() }),
  }),
};
