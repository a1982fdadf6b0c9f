import { z } from 'zod';
import { parseDomain } from '../../kernel/address.ts';
import { lineInput, nullableLine, prose } from '../../kernel/fields.ts';
import { field } from '../../kernel/operation.ts';
import { plainText, storableText } from '../../kernel/text/clean-text.ts';
import {
  MAX_CHANNEL,
  MAX_CHANNELS,
  MAX_DOMAINS,
  MAX_FACT,
  MAX_LABEL,
  MAX_NAME,
  MAX_NOTES,
  MAX_QUERY,
} from './limits-contract.ts';

const nameInput = nullableLine(MAX_NAME).optional();

const nullableText = prose(
  z
    .string()
    .max(MAX_NOTES)
    .transform((text) => (text.trim() === '' ? null : plainText(text))),
)
  .nullable()
  .optional();

const channelInput = z.strictObject({
  kind: z.enum(['email', 'phone']),
  value: lineInput(MAX_CHANNEL),
  label: lineInput(MAX_LABEL).nullable().default(null),
});

const domainInput = field(
  { invalid: 'invalid_domain' },
  z
    .string()
    .trim()
    .max(MAX_CHANNEL)
    .transform((text, context) => {
      const domain = parseDomain(text.replace(/^@/, ''));
      if (domain !== null) return domain as string;
      context.addIssue({ code: 'custom', message: 'Not a domain name' });
      return z.NEVER;
    }),
);

/** The fields of a new contact, and of a patch. */
export const contactInput = z.strictObject({
  given_name: nameInput,
  family_name: nameInput,
  preferred_name: nameInput.describe('What the person likes to be called'),
  company_name: nameInput,
  job_title: nameInput,
  notes: nullableText,
  domains: z.array(domainInput).max(MAX_DOMAINS).optional().describe('Whose mail belongs to this contact'),
  channels: z.array(channelInput).max(MAX_CHANNELS).optional(),
});
export type ContactInput = z.output<typeof contactInput>;

export const factInput = field(
  { missing: 'fact_required', null: 'fact_required', empty: 'fact_required' },
  prose(z.string().trim().min(1).max(MAX_FACT).transform(storableText)),
);

export const queryInput = prose(z.string().trim().min(1).max(MAX_QUERY)).describe(
  'Words, or their beginnings; all are wanted',
);

export const lookupInput = z
  .string()
  .trim()
  .min(1)
  .max(MAX_QUERY)
  .describe('An e-mail address, a phone number, or a part of these or of a name');
