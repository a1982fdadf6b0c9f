import t from 'tap';
import type { Id } from '../../../../src/kernel/ids.ts';
import { EMPTY_CONTENT } from '../../../../src/resources/contacts/contact-changes.ts';
import { mergeContacts } from '../../../../src/resources/contacts/merge-contacts.ts';
import type { Contact } from '../../../../src/store/contacts/contacts-mappings.ts';

const contact = (seq: number, content: Partial<Contact>): Contact => ({
  ...EMPTY_CONTENT,
  ...{ seq, id: `id${seq}` as Id<'contact'>, workspaceId: 'w' as Id<'workspace'>, memories: [] },
  ...{ createdAt: seq, updatedAt: seq },
  ...content,
});
const memory = (fact: string, createdAt: number) => ({ id: fact as Id<'memory'>, fact, messageId: null, createdAt });

t.test('the survivor keeps its fields and gains what the loser has beside them', (t) => {
  const address = { poBox: null, extended: null, street: 'S', locality: null, region: null, postalCode: null };
  const home = { ...address, country: null, label: null };
  const survivor = contact(1, { givenName: 'A', notes: 'n', memories: [memory('late', 9)], addresses: [home] });
  const loser = contact(2, {
    ...{ givenName: 'B', familyName: 'C', companyName: 'D', jobTitle: 'E', notes: 'm', domains: ['x.test'] },
    ...{ memories: [memory('early', 3)], addresses: [{ ...home }, { ...home, label: 'work' }] },
  });
  t.same(mergeContacts(survivor, loser, 7), {
    ...survivor,
    notes: 'n\n\nm',
    domains: ['x.test'],
    addresses: [home, { ...home, label: 'work' }],
    memories: [memory('early', 3), memory('late', 9)],
    updatedAt: 7,
  });
  t.equal(mergeContacts(contact(1, { notes: null }), loser, 7).notes, 'm');
  t.equal(mergeContacts(contact(1, { notes: 'mm' }), loser, 7).notes, 'mm', 'what it says already is not said twice');
  t.end();
});

t.test('there is an end to what one contact can gain', (t) => {
  const many = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}.test`);
  const merged = mergeContacts(contact(1, { domains: many('a', 15) }), contact(2, { domains: many('b', 5) }), 7);
  t.equal(merged.domains.length, 20);
  t.throws(() => mergeContacts(merged, contact(3, { domains: ['c.test'] }), 7), { code: 'invalid_request' });
  const long = contact(2, { notes: 'x'.repeat(10_000) });
  t.throws(() => mergeContacts(contact(1, { notes: 'y' }), long, 7), { code: 'invalid_request', hint: /10000/ });
  t.end();
});
