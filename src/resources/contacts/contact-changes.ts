/** Makes new and changed contacts from a caller's input. */

import { emptyContent } from '../../contacts/card.ts';
import type { Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { NewId, WorkspaceId } from '../../kernel/ids.ts';
import { contactName } from '../../store/contacts/contact-name.ts';
import { countContacts, type NewContact } from '../../store/contacts/contacts.ts';
import type { Contact } from '../../store/contacts/contacts-mappings.ts';
import type { Db } from '../../store/store.ts';
import type { ContactInput } from './input-contract.ts';
import { MAX_CONTACTS } from './limits-contract.ts';
import { checkedChannels } from './stored-channels.ts';

export type Content = Pick<
  Contact,
  | 'givenName'
  | 'familyName'
  | 'preferredName'
  | 'companyName'
  | 'jobTitle'
  | 'notes'
  | 'channels'
  | 'domains'
  | 'addresses'
>;

/** A new contact, without memories. Empty text becomes null, and channels get their keys. */
export const newContact = (
  { newId, now }: { newId: NewId; now: Millis },
  workspaceId: WorkspaceId,
  content: Content,
): NewContact => ({
  id: newId<'contact'>(),
  workspaceId,
  ...content,
  memories: [],
  createdAt: now,
  updatedAt: now,
});

/** @throws ApiError invalid_email, invalid_request */
export const toChanges = (input: ContactInput): Partial<Content> => ({
  ...(input.given_name !== undefined && { givenName: input.given_name }),
  ...(input.family_name !== undefined && { familyName: input.family_name }),
  ...(input.preferred_name !== undefined && { preferredName: input.preferred_name }),
  ...(input.company_name !== undefined && { companyName: input.company_name }),
  ...(input.job_title !== undefined && { jobTitle: input.job_title }),
  ...(input.notes !== undefined && { notes: input.notes }),
  ...(input.domains !== undefined && { domains: [...new Set(input.domains)] }),
  ...(input.channels !== undefined && { channels: checkedChannels(input.channels) }),
});

export const EMPTY_CONTENT: Content = { ...emptyContent(), channels: [] };

/** @throws ApiError name_required */
export const requireName = (content: Parameters<typeof contactName>[0]): void => {
  if (contactName(content) !== '') return;
  throw new ApiError('name_required', {
    hint: 'Give at least one of `given_name`, `family_name`, `preferred_name` and `company_name`.',
  });
};

/** @throws ApiError invalid_request where the workspace has as many contacts as it may */
export const requireRoom = async (db: Db, workspaceId: WorkspaceId): Promise<void> => {
  if ((await countContacts(db, workspaceId)) < MAX_CONTACTS) return;
  throw new ApiError('invalid_request', {
    hint: `A workspace has at most ${MAX_CONTACTS} contacts. Delete or merge some.`,
  });
};
