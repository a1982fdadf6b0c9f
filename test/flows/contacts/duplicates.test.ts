/** Duplicate contacts and their merging. */

import t from 'tap';
import { createContact } from '../../harness/contacts.ts';
import { startInstance } from '../../harness/instance.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000abcd';

t.test('duplicates', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const client = instance.client(ann);
  const email = (value: string) => ({ kind: 'email' as const, value });
  const phone = (value: string, label: string | null = null) => ({ kind: 'phone' as const, value, label });
  const create = (given_name: string, input: object = {}) => createContact(client, { given_name, ...input });
  const pairs = async (limit?: number) =>
    (await client.contacts.duplicates(limit === undefined ? {} : { limit })).pairs.map(
      ({ reason, value, contacts }) => ({ reason, value, ids: contacts.map(({ id }) => id) }),
    );
  const refuse = async (body: object, status: number, error: string, hint = /./) => {
    const response = await instance.request(ann, 'POST', '/v1/contacts/duplicates', body);
    t.match([response.status, await response.json()], [status, { error, hint }], JSON.stringify(body));
  };

  await t.test('by address, number and name, each pair once', async (t) => {
    t.same(await pairs(), []);
    const a = await create('José', { family_name: 'Peña', channels: [email('Jose@Remote.test')] });
    const b = await create('Pepe', { channels: [email('jose@remote.test'), phone('+34 91 123 45 67')] });
    const c = await create('Jose', { family_name: 'PENA', channels: [phone('0034 911 234 567')] });
    await create('Somebody', { family_name: 'else' });
    t.same(await pairs(), [
      { reason: 'email', value: 'jose@remote.test', ids: [b.id, a.id] },
      { reason: 'phone', value: '+34911234567', ids: [c.id, b.id] },
      { reason: 'name', value: 'jose pena', ids: [c.id, a.id] },
    ]);
    t.equal((await pairs(2)).length, 2);
    await client.contacts.update({ id: b.id, channels: [] });
    t.same(
      (await pairs()).map(({ reason }) => reason),
      ['name'],
      'what is shared no more is no reason',
    );
    await client.contacts.remove({ id: c.id });
    t.same(await pairs(), []);
    const same = { family_name: 'Twice', channels: [email('twice@remote.test'), phone('+34911111111')] };
    await create('Tim', same);
    await create('Tim', same);
    t.match(await pairs(), [{ reason: 'email' }], 'three reasons, one pair');
    for (const limit of [0, 51]) {
      const response = await instance.request(ann, 'GET', `/v1/contacts/duplicates?limit=${limit}`);
      t.match([response.status, await response.json()], [400, { error: 'invalid_request' }]);
    }
  });

  await t.test('a name that many share makes a chain, not all pairs', async (t) => {
    for (let at = 0; at < 12; at += 1) await create('Common', { family_name: 'Name' });
    const found = (await pairs(50)).filter(({ value }) => value === 'common name');
    t.equal(found.length, 11);
    for (const [at, { ids }] of found.entries()) if (at > 0) t.equal(ids[0], found[at - 1]?.ids[1]);
  });

  await t.test('a merge keeps and moves what it should', async (t) => {
    const survivor = await create('Eve', {
      company_name: null,
      notes: 'Own notes.',
      domains: ['eve.test'],
      channels: [email('eve@remote.test'), phone('+34 91 000 00 01', 'home')],
    });
    const loser = await create('Eva', {
      family_name: 'Loser',
      company_name: 'Eva Ltd',
      job_title: 'Boss',
      notes: 'Gained notes.',
      domains: ['eve.test', 'eva.test'],
      channels: [email('EVE@remote.test'), email('eva@remote.test'), phone('+34910000001', 'work')],
    });
    const own = await client.contacts.remember({ id: survivor.id, fact: 'First.' });
    const gained = await client.contacts.remember({ id: loser.id, fact: 'Second.' });
    const [both, one] = [
      await client.contactLists.create({ name: 'Both' }),
      await client.contactLists.create({ name: 'One' }),
    ];
    await client.contactLists.addMembers({ id: both.id, contact_ids: [survivor.id, loser.id] });
    await client.contactLists.addMembers({ id: one.id, contact_ids: [loser.id] });

    const response = await instance.request(ann, 'POST', '/v1/contacts/duplicates', {
      survivor_id: survivor.id,
      loser_id: loser.id,
    });
    t.equal(response.status, 200);
    const merged = (await response.json()) as { id: string };
    const { updated_at: _, ...was } = survivor;
    const { updated_at: __, ...is } = merged as typeof survivor;
    t.same(is, {
      ...was,
      notes: 'Own notes.\n\nGained notes.',
      domains: ['eve.test', 'eva.test'],
      channels: [...survivor.channels, { kind: 'email', value: 'eva@remote.test', label: null }],
      memories: [own, gained],
    });
    t.same(await client.contacts.get({ id: survivor.id }), merged);
    const gone = await instance.request(ann, 'GET', `/v1/contacts/${loser.id}`);
    t.match([gone.status, await gone.json()], [404, { error: 'contact_not_found' }]);
    t.match(await client.contactLists.get({ id: both.id }), { member_count: 1, members: [{ id: survivor.id }] });
    t.match(await client.contactLists.get({ id: one.id }), { member_count: 1, members: [{ id: survivor.id }] });
    for (const q of ['second', 'gained', 'eva@remote.test'])
      t.match((await client.contacts.list({ q })).contacts, [{ id: survivor.id }], q);
    t.same((await client.contacts.list({ q: 'loser' })).contacts, [], 'the names of the loser are gone');
    t.match((await client.contacts.list({ lookup: 'eva@remote.test' })).contacts, [{ id: survivor.id }]);
  });

  await t.test('what a merge refuses changes nothing', async (t) => {
    const full = (prefix: string) =>
      create(prefix, { channels: Array.from({ length: 50 }, (_, at) => email(`${prefix}${at}@remote.test`)) });
    const survivor = await full('s');
    await refuse({ survivor_id: survivor.id, loser_id: survivor.id }, 400, 'invalid_request', /itself/);
    await refuse({ survivor_id: survivor.id, loser_id: UNKNOWN }, 404, 'contact_not_found');
    await refuse({ survivor_id: UNKNOWN, loser_id: survivor.id }, 404, 'contact_not_found');
    await refuse({ survivor_id: 'x', loser_id: survivor.id }, 404, 'contact_not_found');
    for (const loser_id of [undefined, null, 7, [survivor.id], {}])
      await refuse({ survivor_id: survivor.id, loser_id }, 400, 'invalid_request', /loser_id/);
    const last = await full('d');
    await refuse({ survivor_id: survivor.id, loser_id: last.id }, 400, 'invalid_request', /more than 50 channels/);
    t.equal((await client.contacts.get({ id: survivor.id })).channels.length, 50);
    t.equal((await client.contacts.get({ id: last.id })).channels.length, 50);
  });

  t.same(instance.faults, []);
});
