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

/** The numbers by which a text names its links. */
const numbersIn = (text: string): Set<number> =>
  new Set(Array.from(text.matchAll(/\[(\d+)\]/g), ([, number]) => Number(number)));

/**
 * All web links of a mail. In brief, those that act come first, then those that the shown page of the text names by numbers. The text contains the others in
 * full, and the labels of numbered ones before their numbers.
 */
export const linksField = onDetail(untrustedText(z.array(linkShape)), (links, { text }) => {
  const named = typeof text === 'string' ? numbersIn(text) : null;
  const isNamed = (number: number | null) => number !== null && (named === null || named.has(number));
  return [...links.filter(({ action }) => action), ...links.filter((link) => !link.action && isNamed(link.number))].map(
    (link) => (link.number === null ? link : { ...link, text: null }),
  );
});
