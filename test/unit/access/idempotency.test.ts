import t from 'tap';
import { createIdempotency } from '../../../src/access/idempotency.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import type { GrantId } from '../../../src/kernel/ids.ts';
import type { Operation } from '../../../src/kernel/operation.ts';
import { addKey } from '../../../src/resources/agents/keys/add-key.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { agentCaller } from '../../harness/caller.ts';
import { openSmallStore } from '../../harness/small-store.ts';

const open = async (t: Parameters<typeof openSmallStore>[0]) => {
  const clock = { at: 1_800_000_000_000, now: () => clock.at };
  const { store, newId, workspaceId, agentId, mailboxId } = await openSmallStore(t, clock);
  const wanted = { agentId, name: 'k', scopes: null, reach: 'own' as const, expiresAt: null };
  const key = await store.write((tx) => addKey({ clock, newId }, tx, wanted));
  const caller = agentCaller({ workspaceId, agentId, mailboxId, keyId: key.id });
  const operation: Operation = contracts.messages.send;
  const { once } = createIdempotency(store, clock);
  let runs = 0;
  /** A request that does its work, once `held` lets it, and records its answer. */
  const request = (input: object, held: Promise<void> = Promise.resolve(), as = caller) =>
    once(as, operation, 'one', input, async (recordAnswer) => {
      runs += 1;
      const body = { run: runs };
      await held;
      await store.write((tx) => recordAnswer(tx, 200, body));
      return { status: 200, body };
    });
  return { clock, request, caller, otherAgent: newId<'agent'>(), runs: () => runs };
};

t.test('of two requests at once one runs, and the other is told to come again', async (t) => {
  const { request, runs } = await open(t);
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const first = request({ a: 1 }, held);
  await t.rejects(request({ a: 1 }), new ApiError('idempotency_in_flight'));
  go();
  t.same(await first, { status: 200, body: { run: 1 }, replayed: false });
  t.same(await request({ a: 1 }), { status: 200, body: { run: 1 }, replayed: true });
  await t.rejects(request({ a: 2 }), new ApiError('idempotency_key_reused', { fields: { first_reply: { run: 1 } } }));
  t.equal(runs(), 1);
});

t.test('the answer is given again for a day', async (t) => {
  const { clock, request } = await open(t);
  await request({ a: 1 });
  clock.at += 24 * 3_600_000 - 1;
  t.match(await request({ a: 1 }), { replayed: true });
  clock.at += 1;
  t.match(await request({ a: 1 }), { body: { run: 2 }, replayed: false });
});

t.test('one grant has Idempotency-Keys for each of its agents', async (t) => {
  const { request, caller, otherAgent, runs } = await open(t);
  const one = { ...caller, byGrant: 'g' as string as GrantId } as const;
  const other = { ...one, agentId: otherAgent };
  const now = Promise.resolve();
  t.match(await request({ a: 1 }, now, one), { replayed: false });
  t.match(await request({ a: 1 }, now, other), { replayed: false });
  t.match(await request({ a: 1 }, now, one), { replayed: true, body: { run: 1 } });
  t.match(await request({ a: 1 }, now, other), { replayed: true, body: { run: 2 } });
  t.equal(runs(), 2);
});
