/** Import and export of contacts, for agents and for persons. */

import { reachingWorkspace } from '../../../access/reach.ts';
import { callerOccupant } from '../../../budget/occupant.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { MAX_PERSONS_CARDS } from '../limits-contract.ts';
import type { contactImportContract, workspaceExchangeContract } from './contract.ts';
import { exportPage } from './export-contacts.ts';
import { createContactImport, type ImportNeeds } from './import-contacts.ts';
import { requireCreated } from './no-valid-cards.ts';

export const createImport = (needs: ImportNeeds): Handlers<typeof contactImportContract> => {
  const { importCsv } = createContactImport(needs);
  return {
    import: (caller, { csv, list_id, list_name }) =>
      importCsv(caller.workspaceId, {
        file: csv,
        occupant: callerOccupant(caller),
        listId: list_id,
        listName: list_name,
      }),
  };
};

export const createWorkspaceExchange = (needs: ImportNeeds): Handlers<typeof workspaceExchangeContract> => {
  const { importCsv, importVCards } = createContactImport(needs);
  return reachingWorkspace<typeof workspaceExchangeContract, 'id'>(needs.store.read, 'id', {
    importCsv: ({ workspaceId }, { csv, list_id, list_name }) =>
      importCsv(workspaceId, { file: csv, occupant: { workspace: workspaceId }, listId: list_id, listName: list_name }),

    importVCards: async ({ workspaceId }, { vcard }) => {
      let created = 0;
      const given = { file: vcard, occupant: { workspace: workspaceId }, most: MAX_PERSONS_CARDS };
      const failed = await importVCards(workspaceId, given, (contacts) => {
        created += contacts.length;
      });
      // A book that is imported once more is no mistake of the person's.
      if (!failed.some(({ reason }) => reason === 'exists')) requireCreated(created, failed);
      return { created, failed };
    },

    export: ({ workspaceId }, query) => exportPage(needs.store.read, workspaceId, query),
  });
};
