/** Previews of imports: their outcome, before anything is written. */

import { z } from 'zod';
import { idOutput } from '../../../kernel/fields.ts';
import { OWNER, personOperation } from '../../../kernel/operation.ts';
import { contactExchangeContract, contactImportContract } from '../exchange/contract.ts';

/** Rows listed for each outcome; the counts include all. */
export const MOST_SHOWN = 100;

export const OUTCOMES = ['create', 'exists', 'skip', 'fail'] as const;

const rowShape = z.object({
  place: z.int().describe('Row of CSV, from 1; card of a vCard file, from 1'),
  outcome: z
    .enum(OUTCOMES)
    .describe('create: a new contact; exists: the contact there is, unchanged; skip, fail: none, for the reason given'),
  name: z.string().nullable(),
  company: z.string().nullable(),
  channel: z.string().nullable().describe('The first address or number'),
  reason: z.string().nullable(),
  field: z.string().nullable(),
  known: z
    .object({ id: idOutput, name: z.string() })
    .nullable()
    .describe('The contact that has one of its addresses already'),
});

const previewShape = z.object({
  columns_understood: z.array(z.string()),
  counts: z.object({ create: z.int(), exists: z.int(), skip: z.int(), fail: z.int() }),
  rows: z.array(rowShape).describe(`The first ${MOST_SHOWN} of each outcome, in the order of the file`),
});

export const contactPreviewContract = {
  /** Says what the import of a CSV file would do, row by row, and writes nothing. */
  csv: personOperation({
    audience: OWNER,
    input: contactImportContract.import.persons.input.pick({ csv: true }),
    output: previewShape,
  }),
  vcards: personOperation({
    audience: OWNER,
    input: contactExchangeContract.importVCards.input,
    output: previewShape,
  }),
};

export type PreviewView = z.infer<typeof previewShape>;
