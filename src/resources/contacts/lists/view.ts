/** Stored contact lists in the interface's shape. */

import { isoTime } from '../../../kernel/clock.ts';
import type { ContactList } from '../../../store/contacts/contact-lists.ts';
import type { ContactListView } from './contract.ts';

export const viewContactList = (list: ContactList): ContactListView => ({
  id: list.id,
  name: list.name,
  description: list.description,
  member_count: list.memberCount,
  created_at: isoTime(list.createdAt),
  updated_at: isoTime(list.updatedAt),
});
