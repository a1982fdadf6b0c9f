/** A search over the mail of all agents: one page of the best and the latest, by words and by filters. */

import t from 'tap';
import { systemRuntime } from '../../../src/app/instance.ts';
import type { Address } from '../../../src/kernel/address.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { findRecipient } from '../../../src/store/accounts/recipient-lookup.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { storeMails } from '../../harness/stored-mail.ts';

t.test('mailboxes are searched together, each hit with its agent', async (t) => {
  await using instance = await startInstance();
  const newId = createIdSource(systemRuntime.clock, systemRuntime.random);
  const { ann, bob } = instance.agents;
  await instance.inStore(async (store) => {
    for (const { address } of [ann, bob]) {
      const found = await findRecipient(store.read, address as Address);
      if (!found) throw new Error(`No mailbox ${address}`);
      await storeMails(store, newId, found.mailboxId, 6, (n) => ({
        subject: `Pallet ${n} for ${address}`,
        unread: n % 2 === 0,
      }));
    }
  });
  const owner = await signInOwner(instance);
  const search = async (input: object) => {
    const { status, body } = await owner.call('inbox/search', input, 'acme');
    t.equal(status, 200);
    return body as { hits: { agent: string; subject: string; created_at: string }[]; next_cursor: string | null };
  };
  const agentsOf = ({ hits }: Awaited<ReturnType<typeof search>>) => hits.map(({ agent }) => agent).toSorted();

  const all = await search({ q: 'pallet' });
  t.same(agentsOf(all), [...Array(6).fill('ann'), ...Array(6).fill('bob')]);
  t.ok(all.hits.every(({ agent, subject }) => subject.includes(agent)));
  const times = all.hits.map(({ created_at }) => created_at);
  t.same(times, times.toSorted().toReversed(), 'the latest first');
  t.equal(all.next_cursor, null);

  for (const q of ['pall*', 'in:in']) {
    const first = await search({ q, limit: 7 });
    t.equal(first.hits.length, 7, 'a page of all of them, not of each');
    const second = await search({ q, limit: 7, cursor: first.next_cursor });
    t.equal(second.next_cursor, null);
    const subjects = [...first.hits, ...second.hits].map(({ subject }) => subject);
    t.same([subjects.length, new Set(subjects).size], [12, 12], `${q}: each on one page`);
  }
  t.same(agentsOf(await search({ q: 'pallet', agent: 'bob' })), Array(6).fill('bob'));
  t.same(agentsOf(await search({ q: 'is:unread' })), [...Array(3).fill('ann'), ...Array(3).fill('bob')]);
  t.same((await search({ q: '...' })).hits, []);
  t.same(instance.faults, []);
});
