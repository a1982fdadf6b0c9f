/** Reads a file of contacts in a worker thread, and makes contacts of its rows or cards, a slice at a time. */

import type { QuotaSubject } from '../../../budget/quota-subject.ts';
import type { Card } from '../../../contacts/card.ts';
import type { ReadCards } from '../../../contacts/vcard/read-vcards.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { WorkspaceId } from '../../../kernel/ids.ts';
import type { NewContact } from '../../../store/contacts/contacts.ts';
import type { ContactReading } from '../../../workers/contact-tasks.ts';
import { readInTime } from '../../../workers/reading/read-in-time.ts';
import type { Needs } from '../../needs.ts';
import { newContact } from '../contact-changes.ts';
import { toContent } from './card-content.ts';
import type { CsvImportView } from './contract.ts';

/** A file, with the quota subject of its reading; left out: the instance itself. */
export interface ImportedFile {
  file: string | Uint8Array;
  quotaSubject?: QuotaSubject;
}

/** With the maximum number of cards. */
export type CardFile = ImportedFile & { most: number };

export type IndexedCard = ReadCards['cards'][number];
type RowFailure = CsvImportView['failed'][number];

/** The contacts of a slice with their positions in the file, and the positions of failed ones. */
export interface Slice<Place extends object> {
  contacts: (Place & { contact: NewContact })[];
  failed: (Place & Pick<RowFailure, 'reason' | 'field'>)[];
}

export interface FileReadingNeeds extends Needs<'clock' | 'newId'> {
  workers: ContactReading;
}

const toOctets = (file: string | Uint8Array): Uint8Array => (typeof file === 'string' ? Buffer.from(file) : file);

export const createFileReading = ({ workers, clock, newId }: FileReadingNeeds) => ({
  /** @throws ApiError invalid_request for a file with too many rows, or one that cannot be read */
  readCsvFile: async ({ file, quotaSubject }: ImportedFile) => {
    const reading = await readInTime(workers.run({ kind: 'read-csv', octets: toOctets(file) }, quotaSubject));
    if (reading.kind === 'read') return reading;
    const hint =
      reading.kind === 'too_many_rows'
        ? 'A file has at most 100000 rows. Import it in parts.'
        : `Row ${reading.row} cannot be read: a quote in it is not closed, or it is longer than 262144 characters.`;
    throw new ApiError('invalid_request', { hint });
  },

  /** @throws ApiError too_many_cards */
  readCardFile: async ({ file, quotaSubject, most }: CardFile) => {
    const reading = await readInTime(workers.run({ kind: 'read-vcards', octets: toOctets(file), most }, quotaSubject));
    if (reading.kind === 'read') return reading;
    throw new ApiError('too_many_cards', { hint: `At most ${most} cards are imported at once.` });
  },

  toContacts: <Place extends object>(
    workspaceId: WorkspaceId,
    rows: readonly (Place & { card: Card })[],
  ): Slice<Omit<Place, 'card'>> => {
    const slice: Slice<Omit<Place, 'card'>> = { contacts: [], failed: [] };
    for (const { card, ...place } of rows) {
      const made = toContent(card);
      if (made.kind === 'refused') slice.failed.push({ ...place, reason: made.reason, field: made.field });
      else {
        const contact = newContact({ newId, now: clock.now() }, workspaceId, made.content);
        slice.contacts.push({ ...place, contact });
      }
    }
    return slice;
  },
});
