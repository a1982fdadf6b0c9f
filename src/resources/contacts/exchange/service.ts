/** Import and export of contacts. */

import { toQuotaSubject } from '../../../budget/quota-subject.ts';
import { MAX_ROWS } from '../../../contacts/csv/read-csv.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { asBuffer } from '../../../kernel/text/octets.ts';
import type { Needs } from '../../needs.ts';
import { MAX_PERSONS_CARDS } from '../limits-contract.ts';
import type { contactExchangeContract, contactImportContract } from './contract.ts';
import { exportPage } from './export-contacts.ts';
import { createContactImport, type ImportNeeds } from './import-contacts.ts';
import { requireCreated } from './no-valid-cards.ts';

type ExchangeNeeds = ImportNeeds & Needs<'underWay'>;

/** An upper bound: the counted text may also stand within a value. A search for 16 million line ends takes seconds. */
const countOf = (file: string | Uint8Array, what: string, most: number): number => {
  const text = typeof file === 'string' ? file : asBuffer(file);
  let found = 0;
  for (let at = text.indexOf(what); at >= 0 && found < most; at = text.indexOf(what, at + 1)) found += 1;
  return found;
};

export const createImport = (needs: ExchangeNeeds): Handlers<typeof contactImportContract> => {
  const { importCsv } = createContactImport(needs);
  return {
    import: (caller, { csv, list_id: listId, list_name: listName }) => {
      const { workspaceId } = caller;
      const given = { file: csv, quotaSubject: toQuotaSubject(caller), listId, listName };
      const total = countOf(csv, '\n', MAX_ROWS);
      return needs.underWay.run({ kind: 'import', workspaceId, name: 'contacts', total }, (advance) =>
        importCsv(workspaceId, { ...given, advance }),
      );
    },
  };
};

export const createExchange = (needs: ExchangeNeeds): Handlers<typeof contactExchangeContract> => {
  const { importVCards } = createContactImport(needs);
  return {
    importVCards: async (caller, { vcard }) => {
      let created = 0;
      const given = { file: vcard, quotaSubject: toQuotaSubject(caller), most: MAX_PERSONS_CARDS };
      const { workspaceId } = caller;
      const total = countOf(vcard, 'BEGIN:VCARD', MAX_PERSONS_CARDS);
      const failed = await needs.underWay.run({ kind: 'import', workspaceId, name: 'contacts', total }, (advance) =>
        importVCards(workspaceId, given, (contacts) => {
          created += contacts.length;
          advance(contacts.length);
        }),
      );
      // A repeated import is no mistake of the person's.
      if (!failed.some(({ reason }) => reason === 'exists')) requireCreated(created, failed);
      return { created, failed };
    },

    export: ({ workspaceId }, query) => exportPage(needs.store.read, workspaceId, query),
  };
};
