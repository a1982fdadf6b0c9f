/** Mail that an owner writes in the name of an agent, and its drafts. It passes the same gate as the agent's own. */

import { z } from 'zod';
import { agentInput, idInput, idOutput, pathId, prose, timeInput, timeOutput } from '../../../kernel/fields.ts';
import { OWNER, personOperation } from '../../../kernel/operation.ts';
import {
  filenameInput,
  fileTypeInput,
  MAX_ADDRESSES,
  MAX_BODY_CHARS,
  sendOperations,
  sendResultShape,
} from '../../messages/send/contract.ts';

const KINDS = ['new', 'reply', 'reply_all', 'forward'] as const;

const about = {
  agent: agentInput.describe('The agent that the mail is from'),
  kind: z.enum(KINDS),
  message_id: idInput<'message'>().optional().describe('What is answered or forwarded'),
};

const fitsKind = ({ kind, message_id: id }: { kind: (typeof KINDS)[number]; message_id?: string | undefined }) =>
  (kind === 'new') === (id === undefined);
const FITS_KIND = 'A reply or a forward has `message_id`, a new mail has none';

export const fileShape = z.object({ id: idOutput, filename: z.string(), content_type: z.string(), size: z.int() });
const filesOutput = z.object({ files: z.array(fileShape) });

/** Characters of the addresses of one field: a list of drafts shows all of them. */
const MAX_TYPED = 32_000;
/** Text as typed, not yet a valid address. */
const typedAddresses = z
  .array(prose(z.string().max(998)))
  .max(MAX_ADDRESSES)
  .refine((all) => all.join('').length <= MAX_TYPED, `It has more than ${MAX_TYPED} characters`)
  .default([]);
const draftId = pathId<'draft'>('draft_not_found');
const keptAt = timeInput.optional().describe('`updated_at` of the draft as its writer sees it; another one is refused');

const draftShape = z.object({
  draft_id: idOutput.nullable().describe('Null: nothing of it is kept yet'),
  agent: z.string(),
  kind: z.enum(KINDS),
  message_id: idOutput.nullable(),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  subject: z.string(),
  body: z.string(),
  files: z.array(fileShape),
  updated_at: timeOutput.nullable(),
  original: z
    .object({
      thread_id: idOutput,
      from: z.string(),
      files: z.array(z.string()).describe('They go along with a forward'),
      reply_to_differs: z.boolean().describe('Answers go to another domain than that of the sender'),
    })
    .nullable()
    .describe('Of the message that is answered or forwarded; null: there is none, or it is gone'),
});

export const draftHeadShape = draftShape.omit({ body: true, files: true, original: true });

const own = { audience: OWNER } as const;
const { to, cc, bcc, subject, send_at } = sendOperations.send.input.shape;
const { body } = sendOperations.forward.input.shape;

export const writingContract = {
  /** The draft of an answer or forward that is there, else its recipients and subject. */
  begin: personOperation({
    ...own,
    input: z.strictObject(about).refine(fitsKind, FITS_KIND),
    output: draftShape,
  }),
  drafts: personOperation({
    ...own,
    output: z.object({
      drafts: z.array(draftHeadShape.extend({ snippet: z.string() })),
    }),
  }),
  draft: personOperation({
    ...own,
    input: z.strictObject({ draft_id: draftId }),
    output: draftShape,
  }),
  /** Keeps what is written, for its writer alone. */
  save: personOperation({
    ...own,
    input: z
      .strictObject({
        draft_id: draftId.optional().describe('Left out: a new one'),
        kept_at: keptAt,
        ...about,
        to: typedAddresses,
        cc: typedAddresses,
        bcc: typedAddresses,
        subject: prose(z.string().max(998)).default(''),
        body: prose(z.string().max(MAX_BODY_CHARS)).default(''),
      })
      .refine(fitsKind, FITS_KIND),
    output: z.object({ draft_id: idOutput, updated_at: timeOutput }),
  }),
  discard: personOperation({
    ...own,
    input: z.strictObject({ draft_id: draftId }),
    output: z.object({ discarded: z.boolean() }),
  }),
  attach: personOperation({
    ...own,
    input: z.strictObject({
      draft_id: draftId,
      filename: filenameInput,
      content_type: fileTypeInput.default('application/octet-stream'),
      content_base64: z.base64(),
    }),
    output: filesOutput,
  }),
  detach: personOperation({
    ...own,
    input: z.strictObject({ draft_id: draftId, file_id: pathId<'draft-file'>('draft_file_not_found') }),
    output: filesOutput,
  }),
  /** Sends in the name of an agent, by its gate, with the files of the draft, which ends once it is accepted. */
  send: personOperation({
    audience: OWNER,
    activity: 'message.send',
    input: z
      .strictObject({
        draft_id: draftId.optional(),
        kept_at: keptAt,
        ...about,
        to,
        cc,
        bcc,
        subject,
        body,
        send_at,
      })
      .refine(fitsKind, FITS_KIND),
    output: sendResultShape,
  }),
};

export type DraftView = z.infer<typeof draftShape>;
