import type { ContactListId } from '../../../src/kernel/ids.ts';
import * as duplicates from '../../../src/store/contacts/contact-duplicates.ts';
import * as keys from '../../../src/store/contacts/contact-keys.ts';
import * as lists from '../../../src/store/contacts/contact-lists.ts';
import type * as names from '../../../src/store/contacts/contact-name.ts';
import * as contacts from '../../../src/store/contacts/contacts.ts';
import * as correspondents from '../../../src/store/contacts/correspondent-contact.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const contact = ({ small, now }: CallContext, name = 'Carol'): contacts.NewContact => ({
  id: small.newId(),
  workspaceId: small.workspaceId,
  givenName: name,
  familyName: null,
  preferredName: null,
  companyName: 'Remote',
  jobTitle: 'Clerk',
  notes: 'Met at a fair.',
  channels: [
    { kind: 'email', value: 'carol@remote.test', label: null, key: 'carol@remote.test' },
    { kind: 'phone', value: '+49 30 123456', label: null, key: '+4930123456' },
  ],
  domains: ['remote.test'],
  addresses: [],
  memories: [],
  createdAt: now,
  updatedAt: now,
});

const inserted = async (context: CallContext, name?: string) => {
  const [stored] = await contacts.insertContacts(context.tx, context.small.workspaceId, [contact(context, name)]);
  if (!stored) throw new Error('Nothing was inserted.');
  return stored;
};

const list = ({ small, now }: CallContext, id: ContactListId = unknownId()): lists.ContactList => ({
  id,
  workspaceId: small.workspaceId,
  name: 'Friends',
  description: null,
  memberCount: 0,
  createdAt: now,
  updatedAt: now,
});

const { email, phone } = keys.KEY_KIND;

export const contactCalls: CallsOf<typeof contacts> = {
  insertContacts: async (context) => [await inserted(context), await inserted(context)],
  countContacts: ({ db, small }) => contacts.countContacts(db, small.workspaceId),
  updateContact: async (context) => {
    const before = await inserted(context);
    await contacts.updateContact(context.tx, before, { ...before, givenName: 'Dave', channels: [] });
  },
  deleteContact: async (context) => {
    await inserted(context);
    await contacts.deleteContact(context.tx, await inserted(context));
  },
  listContactsFrom: ({ db, small }) => contacts.listContactsFrom(db, small.workspaceId, 0, 10),
  findContact: ({ db, small }) => contacts.findContact(db, small.workspaceId, unknownId()),
  findContactsBySeq: ({ db }) => contacts.findContactsBySeq(db, [1]),
  listContacts: async ({ db, small }) => [
    await contacts.listContacts(db, small.workspaceId, null, 25),
    await contacts.listContacts(db, small.workspaceId, 7, 25),
  ],
  findContactSeqs: ({ db, small }) => contacts.findContactSeqs(db, small.workspaceId, [unknownId()]),
  findContactsByEmail: async (context) => {
    await inserted(context);
    return contacts.findContactsByEmail(context.db, context.small.workspaceId, ['carol@remote.test']);
  },
};

export const contactKeyCalls: CallsOf<typeof keys> = {
  phoneEnd: null,
  contactWords: null,
  changeKeys: null,
  addKeys: null,
  putContactWords: null,
  findSeqsByKey: ({ db, small }) => keys.findSeqsByKey(db, small.workspaceId, email, 'a@remote.test', 10),
  findSeqsByPrefix: ({ db, small }) => keys.findSeqsByPrefix(db, small.workspaceId, phone, '+49', 10),
};

export const contactNameCalls: CallsOf<typeof names> = { contactName: null, displayName: null };

export const contactDuplicateCalls: CallsOf<typeof duplicates> = {
  listSharedKeys: ({ db, small }) => duplicates.listSharedKeys(db, small.workspaceId, email, 25),
  keepContactsApart: async (context) => {
    const [one, other] = [await inserted(context), await inserted(context)];
    await duplicates.keepContactsApart(context.tx, context.small.workspaceId, [one.seq, other.seq]);
  },
  listContactsApart: ({ db, small }) => duplicates.listContactsApart(db, small.workspaceId, 10),
  listAdjacentPairs: ({ db, small }) =>
    duplicates.listAdjacentPairs(db, small.workspaceId, email, 'carol@remote.test', 25),
};

export const correspondentContactCalls: CallsOf<typeof correspondents> = {
  findContactOfAddress: ({ db, small }) =>
    correspondents.findContactOfAddress(db, small.workspaceId, REMOTE, (domain) => domain),
  findContactIds: ({ db, small }) => correspondents.findContactIds(db, small.workspaceId, [REMOTE], (domain) => domain),
};

export const contactListCalls: CallsOf<typeof lists> = {
  insertList: (context) => lists.insertList(context.tx, list(context)),
  findList: ({ db, small }) => lists.findList(db, small.workspaceId, unknownId()),
  findListByName: ({ db, small }) => lists.findListByName(db, small.workspaceId, 'FRIENDS'),
  listLists: ({ db, small }) => lists.listLists(db, small.workspaceId),
  countLists: ({ db, small }) => lists.countLists(db, small.workspaceId),
  updateList: ({ tx, now }) => lists.updateList(tx, unknownId(), { name: 'Others' }, now),
  deleteList: ({ tx }) => lists.deleteList(tx, unknownId()),
  listMembers: ({ db }) => lists.listMembers(db, unknownId(), 100, 10),
  addMembers: async (context) => {
    const { id } = list(context);
    await lists.insertList(context.tx, list(context));
    return lists.addMembers(context.tx, id, [(await inserted(context)).seq], context.now);
  },
  removeMembers: async ({ tx, now }) => lists.removeMembers(tx, unknownId(), [1], now),
  copyMemberships: ({ tx, now }) => lists.copyMemberships(tx, 1, 2, now),
};
