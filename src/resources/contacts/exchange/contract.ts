/** Import and export of contacts: the interface's section 4, and the same for persons. */

import { z } from 'zod';
import { cursorInput, idInput, idOutput, nextCursor, prose } from '../../../kernel/fields.ts';
import { EVERYONE, field, operation, personOperation } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { cardFailure } from '../contract.ts';
import { MAX_IMPORT_OCTETS, MAX_PERSONS_FILE } from '../limits-contract.ts';
import { listNameInput } from '../lists/contract.ts';

/** Text, or the octets of a file with a charset to detect. */
const fileInput = (mostOctets: number) =>
  prose(
    z
      .custom<string | Uint8Array>(
        (value) => typeof value === 'string' || value instanceof Uint8Array,
        'only text is taken',
      )
      .refine((file) => file.length <= mostOctets, `At most ${mostOctets} octets`)
      .meta({ type: 'string' }),
  );

/** Callers give text; a raw body gives octets instead. */
const csvInput = fileInput(MAX_IMPORT_OCTETS) as z.ZodType<string | Uint8Array, string>;

const rowFailure = z.object({
  row: z.int(),
  reason: z.enum(['too_long', 'too_many', 'too_many_contacts']),
  field: z.string().nullable().describe('What is too long, or too many'),
});

const csvImportResult = named(
  'CsvImportResult',
  z.object({
    created: z.int(),
    matched_existing: z.int(),
    added_to_list: z.int(),
    list_id: idOutput.nullable(),
    columns_understood: z.array(z.string()),
    skipped: z.array(
      z.object({
        row: z.int().describe('From 1, the header row included'),
        reason: z.enum(['no_email', 'invalid_email', 'duplicate', 'too_many_columns']),
      }),
    ),
    failed: z.array(rowFailure),
    contact_ids: z.array(idOutput),
  }),
);
export type CsvImportView = z.infer<typeof csvImportResult>;

const importInput = z.strictObject({
  csv: csvInput.describe('Columns: email, first name, last name, name, company, title, phone, notes'),
  list_name: listNameInput.optional().describe('Created if absent, where a row is usable'),
  list_id: field({ invalid: 'list_not_found' }, idInput<'contact-list'>()).optional(),
});

export const contactImportContract = {
  import: operation({
    name: 'import_contacts',
    audience: EVERYONE,
    persons: { input: importInput.extend({ csv: fileInput(MAX_PERSONS_FILE) }) },
    route: 'POST /v1/contacts/import',
    scope: 'contacts',
    summary:
      'Adds contacts from CSV, or from one e-mail address a line, and puts them on a list where one is named. A row needs an ' +
      'e-mail address; a contact that has it already is not changed.',
    input: importInput,
    example: { csv: 'email,name,company\ncarol@example.com,Carol Diaz,Example Ltd\n', list_name: 'Customers' },
    rawBody: { mediaType: 'text/csv', field: 'csv', query: ['list_name', 'list_id'] },
    bodyLimit: MAX_IMPORT_OCTETS + 64 * 1024,
    output: csvImportResult,
    statuses: [201],
    tool: { returns: 'counts, contact_ids, and the rows skipped or failed, each with its reason' },
  }),
};

export const contactExchangeContract = {
  importVCards: personOperation({
    workspace: 'required',
    input: z.strictObject({ vcard: fileInput(MAX_PERSONS_FILE) }),
    output: z.object({ created: z.int(), failed: z.array(cardFailure) }),
  }),
  /** Writes the address book of a workspace, some contacts at a time, oldest first. */
  export: personOperation({
    workspace: 'required',
    input: z.strictObject({ format: z.enum(['vcard', 'csv']), cursor: cursorInput }),
    output: z.object({ text: z.string(), contacts: z.int(), next_cursor: nextCursor }),
  }),
};
