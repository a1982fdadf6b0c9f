/** Whose domains are checked when one workspace's name servers say nothing. */

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createDomainChecks } from '../../../../src/domains/check/domain-checks.ts';
import { parseDomain } from '../../../../src/kernel/address.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import type { WorkspaceId } from '../../../../src/kernel/ids.ts';
import { makeBudget } from '../../../harness/budget.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

t.test('a workspace has a share of the checks, and a bound for those that wait', async (t) => {
  const { store, events, newId } = await openSmallStore(t);
  const { domainChecks: queue } = makeBudget().budget;
  t.teardown(() => queue.close());
  let started = 0;
  const checks = createDomainChecks({
    ...{ store, events, queue, clock: systemClock, random: randomBytes },
    ...{
      hostname: 'mx.box.test',
      sourceAddresses: [],
      vaultKey: null,
      notifyFailing: async () => {},
      notifyVerified: async () => {},
    },
    ...{ offersTls: false, spfIncludes: [], delegatedZone: null },
    startLookups: () => {
      started += 1;
      const silent = new Promise<never>(() => undefined);
      return { lookup: () => silent, resolveSpf: () => silent, faults: () => [] };
    },
  });
  const run = (workspaceId: WorkspaceId, n: number) => {
    const name = parseDomain(`shop-${n}.example`);
    if (!name) throw new Error('No domain.');
    const times = { verifiedAt: null, lastCheckedAt: null, createdAt: 0, failingSince: null };
    return checks.run({
      ...{ id: newId<'domain'>(), workspaceId, name, kind: 'custom', status: 'pending', ...times },
      ...{ ownershipToken: 'x', checkResult: null, receives: true },
    });
  };
  const bad = newId<'workspace'>();
  const refusals: string[] = [];
  const note = (error: Error) => void refusals.push(error.message);
  for (let n = 0; n < 25; n += 1) run(bad, n).catch(note);
  await new Promise(setImmediate);
  const hint = /overloaded|Too many domains of this workspace/;
  t.same([started, refusals.length], [4, 1], 'four run, twenty wait');
  t.match(refusals[0], hint);
  run(newId<'workspace'>(), 99).catch(note);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  t.equal(started, 5, 'another one is served at once');
});
