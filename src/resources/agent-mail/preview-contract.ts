/** Previews of attachments. All of their content is untrusted. */

import { z } from 'zod';
import { timeOutput } from '../../kernel/fields.ts';

const eventShape = z.object({
  kind: z.string().describe('As Invitation or Cancelled'),
  title: z.string(),
  day: z.string().nullable().describe('YYYY-MM-DD; null where the start is no date'),
  when: z.string(),
  starts: timeOutput.nullable().describe('Where `when` is in UTC'),
  ends: timeOutput.nullable(),
  repeats: z.string(),
  where: z.string(),
  organizer: z.string(),
  attendees: z.int(),
  accepted: z.int(),
});

export const previewShape = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rows'),
    rows: z.array(z.array(z.string())),
    total: z.int().nullable().describe('Rows of the file; null where it is too long to count'),
  }),
  z.object({ kind: z.literal('events'), events: z.array(eventShape) }),
  z.object({
    kind: z.literal('text'),
    text: z.string().describe('As agents get it'),
    truncated: z.boolean(),
  }),
]);

export type Preview = z.infer<typeof previewShape>;
