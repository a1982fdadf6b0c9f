/**
 * Export and import of one agent's mail. The octets stay within one process, a page at a time: for the operator alone,
 * on the command line.
 */

import { z } from 'zod';
import { addressInput, agentInput, cursorInput, idOutput, nextCursor } from '../../kernel/fields.ts';
import { OPERATOR, personOperation } from '../../kernel/operation.ts';

const octets = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'Octets are wanted');
const millis = z.int().min(0);
const count = z.int().min(0);

/** Mails of one transaction: the daemon's writes wait for it. */
export const MAX_IMPORTED_AT_ONCE = 8;

export const mailTransferContract = {
  /** Stored mail of an agent with its octets, oldest first; held, scheduled and filtered mail is none. */
  exportPage: personOperation({
    audience: OPERATOR,
    input: z.strictObject({
      agent: agentInput,
      since: millis.optional(),
      until: millis.optional(),
      direction: z.enum(['in', 'out']).optional(),
      with: addressInput.optional().describe('Only mail from or to this address, Cc and Bcc too'),
      cursor: cursorInput,
    }),
    output: z.object({
      agent: z.string(),
      mails: z.array(
        z.object({
          id: idOutput,
          direction: z.enum(['in', 'out']),
          from: z.string(),
          at: millis,
          mime: octets.nullable().describe('zstd; null where the octets are gone'),
        }),
      ),
      next_cursor: nextCursor,
    }),
  }),
  /** Files mail into the mailbox of an agent, without an event; what it has already is passed over. */
  import: personOperation({
    audience: OPERATOR,
    input: z.strictObject({
      agent: agentInput,
      mails: z.array(z.strictObject({ raw: octets, at: millis })).max(MAX_IMPORTED_AT_ONCE),
      unread: z.boolean().default(false),
    }),
    output: z.object({
      agent: z.string(),
      results: z.array(z.enum(['imported', 'duplicate', 'not_a_mail', 'header_too_long', 'unreadable'])),
    }),
  }),
  /** Records what an import has done. */
  recordImport: personOperation({
    audience: OPERATOR,
    activity: 'mail.import',
    input: z.strictObject({
      agent: agentInput,
      imported: count,
      duplicates: count,
      refused: count,
      complete: z.boolean(),
    }),
    output: z.object({ agent: z.string() }),
  }),
  /** Records that the mail of an agent was written to a file. */
  recordExport: personOperation({
    audience: OPERATOR,
    activity: 'mail.export',
    input: z.strictObject({ agent: agentInput, exported: count }),
    output: z.object({ agent: z.string() }),
  }),
};
