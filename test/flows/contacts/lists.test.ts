/** Contact lists over REST. */

import t from 'tap';
import { createContact } from '../../harness/contacts.ts';
import { answerOf } from '../../harness/http/answer.ts';
import { startInstance } from '../../harness/instance.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000abcd';

t.test('contact lists', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const client = instance.client(ann);
  const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Globex'));

  const answer = answerOf(instance);
  const refuse = async (method: string, path: string, body: unknown, status: number, code: string) =>
    t.match(await answer(ann, method, path, body), [status, { error: code, hint: String }], `${method} ${path}`);
  const ids: string[] = [];
  for (let at = 0; at < 7; at += 1) ids.push((await createContact(client, { given_name: `M${at}` })).id);

  await t.test('made, renamed, described, listed and deleted', async (t) => {
    const [status, list] = await answer(ann, 'POST', '/v1/contacts/lists', { name: ' Straße ', description: 'Near' });
    t.equal(status, 201);
    const { id, created_at, updated_at, ...shown } = list;
    t.same(shown, { name: 'Straße', description: 'Near', member_count: 0 });
    t.equal(created_at, updated_at);
    for (const name of ['STRASSE', 'straße', 'Strasse'])
      await refuse('POST', '/v1/contacts/lists', { name }, 409, 'list_name_taken');
    const [, other] = await answer(bob, 'POST', '/v1/contacts/lists', { name: 'Álpha' });
    t.equal(other.description, null);
    t.match(await client.contactLists.list({}), { lists: [{ name: 'Straße' }, { name: 'Álpha' }] });
    await refuse('PATCH', `/v1/contacts/lists/${other.id}`, { name: 'strasse' }, 409, 'list_name_taken');
    t.match(await answer(ann, 'PATCH', `/v1/contacts/lists/${id}`, { name: 'STRASSE' }), [200, { name: 'STRASSE' }]);
    t.match(await answer(ann, 'PATCH', `/v1/contacts/lists/${id}`, { description: null }), [
      200,
      { name: 'STRASSE', description: null },
    ]);
    await refuse('PATCH', `/v1/contacts/lists/${id}`, {}, 400, 'nothing_to_update');
    await refuse('POST', '/v1/contacts/lists', {}, 400, 'name_required');
    await refuse('POST', '/v1/contacts/lists', { name: ' ' }, 400, 'name_required');
    await refuse('PATCH', `/v1/contacts/lists/${id}`, { name: '' }, 400, 'name_required');
    const [, nameless] = await answer(ann, 'POST', '/v1/contacts/lists', {});
    t.equal(nameless.hint, 'Give `name`, a string.');
    await refuse('POST', '/v1/contacts/lists', { name: 'x'.repeat(101) }, 400, 'invalid_request');
    await refuse('POST', '/v1/contacts/lists', { name: 'x', description: 'x'.repeat(1_001) }, 400, 'invalid_request');
    await client.contactLists.addMembers({ id: String(id), contact_ids: ids });
    t.same(await answer(ann, 'DELETE', `/v1/contacts/lists/${id}`), [200, { deleted: true }]);
    await refuse('DELETE', `/v1/contacts/lists/${id}`, undefined, 404, 'list_not_found');
    await refuse('GET', `/v1/contacts/lists/${id}`, undefined, 404, 'list_not_found');
    await refuse('PATCH', `/v1/contacts/lists/${id}`, { name: 'x' }, 404, 'list_not_found');
    t.match(await client.contacts.get({ id: ids[0] ?? '' }), { name: 'M0' }, 'its contacts are kept');
    t.match(await answer(zoe, 'POST', '/v1/contacts/lists', { name: 'Álpha' }), [201, { name: 'Álpha' }]);
  });

  await t.test('members, counted and paged', async (t) => {
    const { id } = await client.contactLists.create({ name: 'Members' });
    const members = `/v1/contacts/lists/${id}/members`;
    t.same(await answer(ann, 'POST', members, { contact_ids: ids.slice(0, 5) }), [200, { added: 5 }]);
    t.same(await answer(ann, 'POST', members, { contact_ids: ids }), [200, { added: 2 }], 'a member is added once');
    t.same(await answer(ann, 'POST', members, { contact_ids: [] }), [200, { added: 0 }]);
    const seen: string[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const page: Awaited<ReturnType<typeof client.contactLists.get>> = await client.contactLists.get({
        id,
        limit: 3,
        offset,
      });
      t.match(page, { member_count: 7, offset });
      seen.push(...page.members.map(({ name }) => name));
      offset = page.next_offset;
    }
    t.same(seen, ['M6', 'M5', 'M4', 'M3', 'M2', 'M1', 'M0']);
    t.match(await client.contactLists.get({ id, offset: 7 }), { members: [], next_offset: null });
    t.match(await client.contactLists.get({ id, offset: 1_000_000 }), { members: [], next_offset: null });
    for (const query of ['limit=501', 'limit=0', 'offset=-1', 'cursor=x'])
      await refuse('GET', `/v1/contacts/lists/${id}?${query}`, undefined, 400, 'invalid_request');

    t.same(await answer(ann, 'DELETE', members, { contact_ids: ids.slice(0, 2) }), [200, { removed: 2 }]);
    t.same(await answer(ann, 'DELETE', members, { contact_ids: ids.slice(0, 3) }), [200, { removed: 1 }]);
    await client.contacts.remove({ id: ids[6] ?? '' });
    t.match(await client.contactLists.get({ id }), { member_count: 3, members: { length: 3 } });
    t.match(await client.contactLists.list({}), { lists: [{ name: 'Members', member_count: 3 }, {}] });

    await refuse('DELETE', members, undefined, 400, 'invalid_request');
    await refuse('DELETE', members, {}, 400, 'invalid_request');
    await refuse('POST', members, { contact_ids: ['x'] }, 404, 'contact_not_found');
    await refuse('POST', members, { contact_ids: [ids[0], UNKNOWN] }, 404, 'contact_not_found');
    await refuse('DELETE', members, { contact_ids: [ids[3], UNKNOWN] }, 404, 'contact_not_found');
    t.match(await client.contactLists.get({ id }), { member_count: 3 }, 'a refused change changes nothing');
    await refuse('POST', members, { contact_ids: Array(1_001).fill(ids[0]) }, 400, 'invalid_request');
    t.same(await answer(ann, 'POST', members, { contact_ids: Array(1_000).fill(ids[0]) }), [200, { added: 1 }]);
  });

  await t.test("another workspace's lists and contacts are not found", async (t) => {
    const { id } = await client.contactLists.create({ name: 'Ours' });
    const theirs = await createContact(instance.client(zoe), { given_name: 'Zed' });
    const own = await instance.client(zoe).contactLists.create({ name: 'Ours' });
    const notFound = [404, { error: 'list_not_found' }] as const;
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const)
      t.match(await answer(zoe, method, `/v1/contacts/lists/${id}`, body), notFound, method);
    for (const method of ['POST', 'DELETE'])
      t.match(await answer(zoe, method, `/v1/contacts/lists/${id}/members`, { contact_ids: [theirs.id] }), notFound);
    for (const method of ['POST', 'DELETE'])
      t.match(await answer(zoe, method, `/v1/contacts/lists/${own.id}/members`, { contact_ids: [ids[0]] }), [
        404,
        { error: 'contact_not_found' },
      ]);
    t.same(
      (await instance.client(zoe).contactLists.list({})).lists.filter((list) => list.id === id),
      [],
    );
  });

  t.same(instance.faults, []);
});
