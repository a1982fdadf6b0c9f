import { z } from 'zod';
import { named } from '../../../kernel/schema-names.ts';
import { onDetail } from '../../../kernel/tools/tool-fields.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';

const linkShape = named(
  'MailLink',
  z.object({
    number: z.int().nullable().describe('By which the text names it; null: the text has the address itself'),
    text: z.string().nullable().describe('What it shows; null: its address'),
    url: z.string(),
    action: z.boolean().describe('Verifies, confirms, resets, activates or signs in'),
  }),
);

/** All web links of a mail. */
export const linksShape = z.array(linkShape);

/** The text contains the other links in full, and the labels of numbered ones before their numbers. */
export const linksField = onDetail(untrustedText(linksShape), (links) =>
  links
    .filter(({ number, action }) => number !== null || action)
    .map((link) => (link.number === null ? link : { ...link, text: null })),
);
