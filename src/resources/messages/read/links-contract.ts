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
 * All web links of a mail, in brief those that act first. Beside a text, the others are those that its shown page names by
 * numbers: the text has short addresses in full, and labels before the numbers.
 */
export const linksField = onDetail(untrustedText(z.array(linkShape)), (links, { text }) => {
  const actingFirst = links.toSorted((a, b) => Number(b.action) - Number(a.action));
  if (typeof text !== 'string') return actingFirst;
  const shown = numbersIn(text);
  return actingFirst
    .filter(({ number, action }) => action || (number !== null && shown.has(number)))
    .map((link) => (link.number === null ? link : { ...link, text: null }));
});
