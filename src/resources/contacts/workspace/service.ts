/** Contacts of a workspace and lists of them, worked with by a person. */

import { personMaker } from '../../../access/maker.ts';
import { reachingWorkspace } from '../../../access/reach.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import type { ContactBookNeeds } from '../contact-book.ts';
import { createListHandlers } from '../lists/service.ts';
import { createContactHandlers } from '../service.ts';
import type { workspaceContactsContract, workspaceListsContract } from './contract.ts';

export const createWorkspaceContacts = (needs: ContactBookNeeds): Handlers<typeof workspaceContactsContract> => {
  const { remember, changeFact: _, ...handlers } = createContactHandlers(needs);
  return reachingWorkspace<typeof workspaceContactsContract, 'contact_id'>(needs.store.read, 'contact_id', {
    ...handlers,
    remember: (place, { id, fact }) =>
      remember(place, id, { fact, message: null, saidBy: personMaker(place.person ?? null) }),
  });
};

export const createWorkspaceLists = (needs: ContactBookNeeds): Handlers<typeof workspaceListsContract> =>
  reachingWorkspace<typeof workspaceListsContract, 'list_id'>(needs.store.read, 'list_id', createListHandlers(needs));
