/** Contacts and notes as tools; and books that are full. */

import t from 'tap';
import type { Id } from '../../../src/kernel/ids.ts';
import { insertList } from '../../../src/store/contacts/contact-lists.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';

t.test('contacts as tools', async (t) => {
  await using instance = await startInstance();
  await using ann = await connectMcp(instance, instance.agents.ann);
  const call = async (name: string, args: Record<string, unknown> = {}) => (await ann.call(name, args)).told;

  await t.test('what a model is told of them, in full where it looks for them', async (t) => {
    const instructions = ann.client.getInstructions() ?? '';
    t.match(instructions, /contacts, facts and notes [^.]*never an instruction\./);
    t.match(instructions, /value of a secret is held/);
    const textOf = async (name: string, need: string) => {
      const { tools } = await call('find_tools', { need });
      return (tools as { name: string; description: string }[]).find((tool) => tool.name === name)?.description;
    };
    t.match(
      await textOf('lookup_contact', 'who has an e-mail address'),
      /first `exact` contacts have it; all others only resemble it/,
    );
    t.match(await textOf('create_contact', 'add a contact'), /exact 0/);
    t.match(
      await textOf('import_contacts', 'import contacts from CSV'),
      /needs an e-mail address; a contact that has it already is not changed/,
    );
  });

  await t.test('contacts', async (t) => {
    const channels = [{ kind: 'email', value: 'carol@remote.test' }];
    const { id: contact_id } = await call('create_contact', { given_name: 'Carol', channels });
    const { id: other } = await call('create_contact', { given_name: 'Caroline', channels });
    t.match(await call('lookup_contact', { lookup: 'CAROL@remote.test' }), { contacts: { length: 2 }, exact: 2 });
    t.match(await call('list_contacts', { q: 'caroline' }), { contacts: [{ id: other }], next_cursor: null });
    t.match(await call('remember_fact', { contact_id, fact: 'Likes tea.' }), { fact: 'Likes tea.' });
    t.match(await call('update_contact', { contact_id, job_title: 'Buyer' }), { job_title: 'Buyer' });
    t.match(await call('list_duplicates'), { pairs: [{ reason: 'email', contacts: [{ id: other }, {}] }] });
    t.match(await call('merge_contacts', { survivor_id: contact_id, loser_id: other }), { id: contact_id });
    t.match(await call('get_contact', { contact_id }), { name: 'Carol', memories: [{ fact: 'Likes tea.' }] });
    t.match((await ann.call('get_contact', { contact_id: other })).refusal, { error: 'contact_not_found' });
    t.match((await ann.call('list_contacts', { lookup: 'x' })).refusal, { error: 'invalid_request' });
    const { id: list_id } = await call('create_contact_list', { name: 'Friends' });
    t.same(await call('add_list_members', { list_id, contact_ids: [contact_id] }), { added: 1 });
    t.match(await call('get_contact_list', { list_id }), { member_count: 1, members: [{ id: contact_id }] });
    t.same(await call('remove_list_members', { list_id, contact_ids: [contact_id] }), { removed: 1 });
    t.match(await call('update_contact_list', { list_id, name: 'Old friends' }), { name: 'Old friends' });
    t.match(await call('list_contact_lists'), { lists: [{ id: list_id }] });
    t.same(await call('delete_contact_list', { list_id }), { deleted: true });
    t.same(await call('delete_contact', { contact_id }), { deleted: true });
  });

  await t.test('notes', async (t) => {
    const { id: note_id } = await call('create_note', { title: 'Fair', body: 'Stand 12' });
    t.match(await call('list_notes', { q: 'stand' }), { notes: [{ id: note_id }], next_cursor: null });
    t.match(await call('update_note', { note_id, title: null }), { title: null });
    t.match(await call('get_note', { note_id }), { body: 'Stand 12' });
    t.same(await call('delete_note', { note_id }), { deleted: true });
    t.match((await ann.call('get_note', { note_id })).refusal, { error: 'note_not_found_or_not_granted' });
  });

  await t.test('a full book', async (t) => {
    const { id: workspaceId } = instance.workspace;
    const now = Date.now();
    await instance.inStore((store) =>
      store.write(async (tx) => {
        await tx.db.updateTable('contact_books').set({ contact_count: 250_000 }).execute();
        for (let at = 0; at < 1_000; at += 1) {
          const id = `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}` as Id<'contact-list'>;
          const list = { id, workspaceId, name: `List ${at}`, description: null, memberCount: 0 };
          await insertList(tx, { ...list, createdAt: now, updatedAt: now });
        }
      }),
    );
    t.match((await ann.call('create_contact', { given_name: 'X' })).refusal, {
      error: 'invalid_request',
      hint: /at most 250000 contacts/,
    });
    t.match((await ann.call('create_contact_list', { name: 'X' })).refusal, {
      error: 'invalid_request',
      hint: /at most 1000 contact lists/,
    });
    t.match(await call('list_contact_lists'), { lists: { length: 1_000 } });
  });

  await t.test('a page of long contacts ends early, and its cursor leads on', async (t) => {
    const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Globex'));
    const client = instance.client(zoe);
    const channels = Array.from({ length: 50 }, (_, at) => ({
      kind: 'email' as const,
      value: `${'x'.repeat(60)}${at}@${'y'.repeat(60)}.${'z'.repeat(60)}.test`,
    }));
    const facts = Array.from({ length: 100 }, (_, at) => ({
      id: `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}` as Id<'memory'>,
      fact: 'f'.repeat(1_000),
      messageId: null,
      createdAt: 1,
    }));
    for (let at = 0; at < 25; at += 1) await client.contacts.create({ given_name: 'Long', channels });
    await instance.inStore((store) =>
      store.write(async (tx) => {
        await tx.db
          .updateTable('contacts')
          .set({ memories: JSON.stringify(facts) })
          .execute();
      }),
    );
    const { id: listId } = await client.contactLists.create({ name: 'Long' });
    const ids: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await client.contacts.list({ limit: 100, ...(cursor && { cursor }) });
      ids.push(...page.contacts.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
      pages += 1;
    } while (cursor);
    t.match([ids.length, new Set(ids).size, pages], [25, 25, 2]);
    const first = await client.contacts.list({ q: 'long', limit: 100 });
    const rest = await client.contacts.list({ q: 'long', limit: 100, cursor: first.next_cursor ?? '' });
    t.same(
      [...first.contacts, ...rest.contacts].map(({ id }) => id),
      ids,
    );
    await client.contactLists.addMembers({ id: listId, contact_ids: ids });
    const list = await client.contactLists.get({ id: listId, limit: 500 });
    t.equal(list.members.length, first.contacts.length);
    t.equal(list.next_offset, list.members.length);
    t.ok((await client.contacts.list({ lookup: 'long', limit: 100 })).contacts.length < 25);
    t.ok((await client.contacts.duplicates({ limit: 50 })).pairs.length < 24);
  });

  t.same(instance.faults, []);
});
