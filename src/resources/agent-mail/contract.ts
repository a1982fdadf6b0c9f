/**
 * An agent's mail, as its owners read it, in the agents' own views. A person's read sets no read mark unless asked to.
 */

import { z } from 'zod';
import { VIAS } from '../../kernel/caller.ts';
import { agentInput } from '../../kernel/fields.ts';
import { bytesReply, OWNER, personOperation } from '../../kernel/operation.ts';
import { messageDetailShape, readOperations } from '../messages/read/contract.ts';
import { searchContract } from '../search/contract.ts';
import { threadsContract } from '../threads/contract.ts';
import { previewShape } from './preview-contract.ts';

/** The HTML of a mail for a frame, and the attachments behind its embedded images. */
export const frameShape = z.object({
  html: z.string(),
  remote: z.boolean(),
  embedded: z.array(z.object({ content_id: z.string(), filename: z.string() })),
});

/** The input of an agent's own operation, with the agent named. */
const ofAgent = <Shape extends z.ZodRawShape>({ input }: { input: z.ZodObject<Shape, z.core.$strict> }) =>
  z.strictObject({ agent: agentInput, ...input.shape });

export const sentBy = z.string().nullable().describe("The owner who sent it in the agent's name; null: the agent did");

export const agentMailContract = {
  thread: personOperation({
    audience: OWNER,
    input: ofAgent(threadsContract.get),
    output: threadsContract.get.output.extend({
      messages: z.array(threadsContract.get.output.shape.messages.element.extend({ sent_by: sentBy })),
    }),
  }),
  search: personOperation({
    audience: OWNER,
    input: ofAgent(searchContract.search),
    output: searchContract.search.output,
  }),
  message: personOperation({
    audience: OWNER,
    input: ofAgent(readOperations.get).extend({ mark_read: z.boolean().default(false) }),
    output: messageDetailShape.extend({
      via: z.enum(VIAS).nullable().describe('How mail that went out came to be sent; null: it came in'),
      sent_by: sentBy,
      folds: z
        .object({ own: z.string(), quoted: z.string(), signature: z.string() })
        .describe('The text in three: what is new of it, what it quotes, and the signature'),
      remote_images: z.int().describe('Images of other hosts in its HTML part, which are not loaded unless asked for'),
    }),
  }),
  /** The sanitised HTML part of a message, for a frame that runs no script. */
  html: personOperation({
    audience: OWNER,
    input: z.strictObject({
      agent: agentInput,
      id: readOperations.get.input.shape.id,
      remote: z.boolean().default(false),
    }),
    output: frameShape,
  }),
  raw: personOperation({
    audience: OWNER,
    input: ofAgent(readOperations.raw),
    output: bytesReply,
  }),
  attachment: personOperation({
    audience: OWNER,
    input: ofAgent(readOperations.attachment).omit({ as: true, max_chars: true, offset: true }),
    output: bytesReply,
  }),
  /** The first rows of a table, the events of a calendar or the text of an attachment. */
  preview: personOperation({
    audience: OWNER,
    input: ofAgent(readOperations.attachment).omit({ as: true, max_chars: true, offset: true }),
    output: previewShape,
  }),
  flag: personOperation({
    audience: OWNER,
    input: ofAgent(readOperations.archive),
    output: readOperations.archive.output,
  }),
};
