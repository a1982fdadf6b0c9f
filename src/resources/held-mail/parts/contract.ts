/** The parts of an undecided held mail, exactly as they will be sent. */

import { z } from 'zod';
import { lookedUpInput } from '../../../kernel/fields.ts';
import { bytesReply, OWNER, personOperation } from '../../../kernel/operation.ts';
import { frameShape } from '../../agent-mail/contract.ts';
import { previewShape } from '../../agent-mail/preview-contract.ts';

const pending_id = lookedUpInput;
const ofFile = z.strictObject({ pending_id, filename: z.string().min(1).max(1000) });

export const heldPartsContract = {
  html: personOperation({
    audience: OWNER,
    input: z.strictObject({ pending_id, remote: z.boolean().default(false) }),
    output: frameShape,
  }),
  /** Where the links of the HTML part of a held mail lead. */
  links: personOperation({
    audience: OWNER,
    input: z.strictObject({ pending_id }),
    output: z.object({
      has_html: z.boolean().describe('Whether the mail has an HTML part'),
      links: z.array(
        z.object({
          label: z.string(),
          address: z.string(),
          host: z.string().nullable(),
          differs: z.boolean().describe('Whether the label says less, or other, than the address'),
          misleads: z.boolean().describe('Whether the label names a host that it does not lead to'),
        }),
      ),
      more: z.int().describe('Links beyond those'),
      is_whole: z.boolean().describe('False: the HTML part is longer than what was read'),
    }),
  }),
  /** A held mail as it will go out, before it is signed, as message/rfc822. */
  raw: personOperation({
    audience: OWNER,
    input: z.strictObject({ pending_id }),
    output: bytesReply,
  }),
  attachment: personOperation({
    audience: OWNER,
    input: ofFile,
    output: bytesReply,
  }),
  /** The first rows of a table, the events of a calendar or the text of an attachment of a held mail. */
  preview: personOperation({
    audience: OWNER,
    input: ofFile,
    output: previewShape,
  }),
};
