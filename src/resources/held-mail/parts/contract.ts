/** The parts of an undecided held mail, exactly as they will be sent. */

import { z } from 'zod';
import { OWNER } from '../../../kernel/caller.ts';
import { bytesReply, personOperation } from '../../../kernel/operation.ts';
import { frameShape } from '../../agent-mail/contract.ts';
import { previewShape } from '../../agent-mail/preview-contract.ts';

const pending_id = z.string();
const ofFile = z.strictObject({ pending_id, filename: z.string().min(1).max(1000) });

export const heldPartsContract = {
  html: personOperation({
    name: 'frame_held_mail',
    audience: OWNER,
    summary: 'The sanitised HTML part of a held mail, for a frame that runs no script.',
    input: z.strictObject({ pending_id, remote: z.boolean().default(false) }),
    output: frameShape,
  }),
  links: personOperation({
    name: 'list_held_links',
    audience: OWNER,
    summary: 'Where the links of the HTML part of a held mail lead.',
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
  raw: personOperation({
    name: 'get_raw_held_mail',
    audience: OWNER,
    summary: 'A held mail as it will go out, before it is signed, as message/rfc822.',
    input: z.strictObject({ pending_id }),
    output: bytesReply,
  }),
  attachment: personOperation({
    name: 'get_held_attachment',
    audience: OWNER,
    summary: 'The bytes of one attachment of a held mail.',
    input: ofFile,
    output: bytesReply,
  }),
  preview: personOperation({
    name: 'preview_held_attachment',
    audience: OWNER,
    summary: 'The first rows of a table, the events of a calendar or the text of an attachment of a held mail.',
    input: ofFile,
    output: previewShape,
  }),
};
