/** Import and export of contacts. */

import { callerOccupant } from '../../../budget/occupant.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { MAX_PERSONS_CARDS } from '../limits-contract.ts';
import type { contactExchangeContract, contactImportContract } from './contract.ts';
import { exportPage } from './export-contacts.ts';
import { createContactImport, type ImportNeeds } from './import-contacts.ts';
import { requireCreated } from './no-valid-cards.ts';

export const createImport = (needs: ImportNeeds): Handlers<typeof contactImportContract> => {
  const { importCsv } = createContactImport(needs);
  return {
    import: (caller, { csv, list_id: listId, list_name: listName }) =>
      importCsv(caller.workspaceId, { file: csv, occupant: callerOccupant(caller), listId, listName }),
  };
};

export const createExchange = (needs: ImportNeeds): Handlers<typeof contactExchangeContract> => {
  const { importVCards } = createContactImport(needs);
  return {
    importVCards: async (caller, { vcard }) => {
      let created = 0;
      const given = { file: vcard, occupant: callerOccupant(caller), most: MAX_PERSONS_CARDS };
      const failed = await importVCards(caller.workspaceId, given, (contacts) => {
        created += contacts.length;
      });
      // A book that is imported once more is no mistake of the person's.
      if (!failed.some(({ reason }) => reason === 'exists')) requireCreated(created, failed);
      return { created, failed };
    },

    export: ({ workspaceId }, query) => exportPage(needs.store.read, workspaceId, query),
  };
};
