import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { searchContacts } from '../../../../src/resources/contacts/find-contacts.ts';
import { deleteContact, insertContacts, listContacts } from '../../../../src/store/contacts/contacts.ts';
import { openSmallStore, type SmallStore } from '../../../harness/small-store.ts';

const fill = async ({ store, workspaceId, newId }: SmallStore, names: readonly string[]): Promise<void> => {
  const times = { createdAt: 1, updatedAt: 1 };
  const empty = { preferredName: null, companyName: null, jobTitle: null, notes: null };
  const contacts = names.map((givenName) => ({
    ...{ id: newId<'contact'>(), workspaceId, givenName, familyName: 'Alpha', ...empty },
    ...{ channels: [], domains: [], addresses: [], memories: [], ...times },
  }));
  await store.write((tx) => insertContacts(tx, workspaceId, contacts));
};

t.test('two common words are found all over a large book, by bounded steps', async (t) => {
  let queries = 0;
  const small = await openSmallStore(t, systemClock, { onQuery: () => (queries += 1) });
  const names = Array.from({ length: 4_550 }, (_, at) => (at % 13 === 0 ? 'Beta' : 'Gamma'));
  await fill(small, names);
  const found = new Set<number>();
  let shortPages = 0;
  let cursor: string | undefined;
  do {
    queries = 0;
    const page = await searchContacts(small.store.read, small.workspaceId, 'alpha beta', {
      limit: 200,
      ...(cursor !== undefined && { cursor }),
    });
    t.ok(queries <= 12, `${queries} queries`);
    for (const seq of page.seqs) found.add(seq);
    cursor = page.next_cursor ?? undefined;
    if (cursor !== undefined && page.seqs.length < 200) shortPages += 1;
  } while (cursor !== undefined);
  t.equal(found.size, 350);
  t.equal(shortPages, 2, 'a page ends after so many rows, full or not');
});

t.test('a deleted contact leaves nothing to be found by', async (t) => {
  const small = await openSmallStore(t);
  const { store, workspaceId } = small;
  await fill(small, ['Beta', 'Beta']);
  const count = async (table: 'contact_keys' | 'contact_shared_keys') =>
    (await store.read.selectFrom(table).selectAll().execute()).length;
  t.ok((await count('contact_shared_keys')) > 0, 'two of one name');
  for (const contact of await listContacts(store.read, workspaceId, null, 10))
    await store.write((tx) => deleteContact(tx, contact));
  t.same([await count('contact_keys'), await count('contact_shared_keys')], [0, 0]);
});
