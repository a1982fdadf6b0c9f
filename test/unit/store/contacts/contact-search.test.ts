import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { searchContacts } from '../../../../src/resources/contacts/find-contacts.ts';
import { deleteContact, insertContacts, listContacts } from '../../../../src/store/contacts/contacts.ts';
import { engineOf } from '../../../../src/store/engine.ts';
import { openSmallStore, type SmallStore } from '../../../harness/small-store.ts';

const fill = async (
  { store, workspaceId, newId }: SmallStore,
  names: readonly (readonly [given: string, family: string])[],
): Promise<void> => {
  const times = { createdAt: 1, updatedAt: 1 };
  const empty = { preferredName: null, companyName: null, jobTitle: null, notes: null };
  const contacts = names.map(([givenName, familyName]) => ({
    ...{ id: newId<'contact'>(), workspaceId, givenName, familyName, ...empty },
    ...{ channels: [], domains: [], addresses: [], memories: [], ...times },
  }));
  await store.write((tx) => insertContacts(tx, workspaceId, contacts));
};

t.test('two common words that seldom meet are found all over a large book, by bounded steps', async (t) => {
  let queries = 0;
  const small = await openSmallStore(t, systemClock, { onQuery: () => (queries += 1) });
  const nameOf = (at: number) =>
    [at % 2 === 0 ? 'Beta' : 'Gamma', at % 2 === 1 || at % 300 === 0 ? 'Alpha' : ''] as const;
  await fill(
    small,
    Array.from({ length: 4_500 }, (_, at) => nameOf(at)),
  );
  const found = new Set<number>();
  let shortPages = 0;
  let cursor: string | undefined;
  do {
    queries = 0;
    const page = await searchContacts(small.store.read, small.workspaceId, 'alpha beta', {
      limit: 25,
      ...(cursor !== undefined && { cursor }),
    });
    t.ok(queries <= 16, `${queries} queries`);
    for (const seq of page.seqs) found.add(seq);
    cursor = page.next_cursor ?? undefined;
    if (cursor !== undefined && page.seqs.length < 25) shortPages += 1;
  } while (cursor !== undefined);
  t.equal(found.size, 15);
  t.equal(shortPages, 0);
});

t.test('a deleted contact leaves nothing to be found by', async (t) => {
  const small = await openSmallStore(t);
  const { store, workspaceId } = small;
  const { findTerm } = engineOf(store.read).wordIndex;
  const same = ['Beta', 'Alpha'] as const;
  await fill(small, [same, same]);
  const count = async (table: 'contact_keys' | 'contact_shared_keys') =>
    (
      await store.read
        .selectFrom(table as 'contact_keys')
        .selectAll()
        .execute()
    ).length;
  t.ok((await count('contact_shared_keys')) > 0, 'two of one name');
  t.ok(await findTerm('contact_terms', ''));
  for (const contact of await listContacts(store.read, workspaceId, null, 10))
    await store.write((tx) => deleteContact(tx, contact));
  t.same([await count('contact_keys'), await count('contact_shared_keys')], [0, 0]);
  t.equal(await findTerm('contact_terms', ''), null);
});

t.test('two common words that meet in the oldest contacts alone fill the first page', async (t) => {
  let queries = 0;
  const small = await openSmallStore(t, systemClock, { onQuery: () => (queries += 1) });
  await fill(
    small,
    Array.from({ length: 2_500 }, (_, at) => [at < 350 ? 'Beta' : 'Gamma', 'Alpha'] as const),
  );
  queries = 0;
  const page = await searchContacts(small.store.read, small.workspaceId, 'alpha beta', { limit: 25 });
  t.equal(page.seqs.length, 25, 'the oldest contacts');
  t.ok(page.next_cursor);
  t.ok(queries <= 10, `${queries} queries`);
});

t.test('a contact that is found by many words is read once', async (t) => {
  let queries = 0;
  const small = await openSmallStore(t, systemClock, { onQuery: () => (queries += 1) });
  const words = Array.from({ length: 50 }, (_, at) => `g${at + 10}`);
  await fill(small, [
    [words.join(' '), 'Alpha'],
    ['g11', 'Beta'],
  ]);
  queries = 0;
  const page = await searchContacts(small.store.read, small.workspaceId, 'g', { limit: 25 });
  t.equal(page.seqs.length, 2);
  // Each word is looked for, and the rows under it.
  t.ok(queries <= 2 * words.length + 10, `${queries} queries`);
});
