/** Full-text search over the caller's mailbox. */

import { z } from 'zod';
import { cursorInput, idOutput, limitInput, nextCursor, prose, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { onDetail } from '../../kernel/tools/tool-fields.ts';
import { namedAddress, untrustedExcerpt, untrustedText } from '../../kernel/tools/untrusted-fields.ts';

const hitShape = named(
  'SearchHit',
  z.object({
    message_id: idOutput,
    thread_id: idOutput,
    direction: z.enum(['in', 'out']),
    from: namedAddress(z.string()),
    to: onDetail(namedAddress(z.array(z.string()))),
    subject: untrustedText(z.string()),
    excerpt: untrustedExcerpt(z.string()),
    score: onDetail(z.number()),
    contact_id: idOutput.nullable().optional().describe('The contact of the other side'),
    created_at: timeOutput,
  }),
);

export const searchContract = {
  search: operation({
    name: 'search_messages',
    route: 'GET /v1/search',
    scope: 'mail:read',
    summary: 'Searches your mail; best matches first, matched words between ** and **.',
    input: z.strictObject({
      q: prose(z.string().trim().min(1).max(1000)).describe(
        'All words are wanted; "a phrase", -word, OR, inv* (3 letters or more, at most 3 times), from: to: subject: has:attachment is:unread in:out before:YYYY-MM-DD after:YYYY-MM-DD; like:"a meaning" ranks the newest that fit by what they are about, where embeddings are on',
      ),
      limit: limitInput(50, 20),
      cursor: cursorInput,
    }),
    output: z.object({
      hits: z.array(hitShape),
      next_cursor: nextCursor,
      partial: z.boolean().describe('true: the newest matches were ranked; older ones come with next_cursor'),
      hint: z.string().nullable().describe('What else to try where nothing is found'),
    }),
    errors: ['overloaded'],
    tool: {
      returns: 'hits with excerpts, next_cursor or null, and partial: true where older mail comes with the cursor',
    },
  }),
};
