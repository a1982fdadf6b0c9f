/** How many checks run where name servers say nothing: of one workspace, and of one domain. */

import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { FairQueue } from '../../../../src/budget/fair-queue.ts';
import { createDomainChecks } from '../../../../src/domains/check/domain-checks.ts';
import { parseDomain } from '../../../../src/kernel/address.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import type { WorkspaceId } from '../../../../src/kernel/ids.ts';
import type { Domain } from '../../../../src/store/accounts/domains.ts';
import { makeBudget } from '../../../harness/budget.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

const openChecks = async (t: Test) => {
  const { store, events, newId } = await openSmallStore(t);
  const { domainChecks } = makeBudget().budget;
  t.teardown(() => domainChecks.close());
  let running = 0;
  const queue: Pick<FairQueue, 'run'> = {
    run: (subject, work) =>
      domainChecks.run(subject, () => {
        running += 1;
        return work();
      }),
  };
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
      const silent = new Promise<never>(() => undefined);
      return { lookup: () => silent, resolveSpf: () => silent, faults: () => [] };
    },
  });
  const makeDomain = (workspaceId: WorkspaceId, n: number): Domain => {
    const name = parseDomain(`shop-${n}.example`);
    if (!name) throw new Error('No domain.');
    const times = { verifiedAt: null, lastCheckedAt: null, createdAt: 0, failingSince: null };
    return {
      ...{ id: newId<'domain'>(), workspaceId, name, kind: 'custom', status: 'pending', ...times },
      ...{ ownershipToken: 'x', checkResult: null, receives: true },
    };
  };
  return { checks, makeDomain, newId, running: () => running };
};

t.test('a workspace has a share of the checks, and a bound for those that wait', async (t) => {
  const { checks, makeDomain, newId, running } = await openChecks(t);
  const bad = newId<'workspace'>();
  const refusals: string[] = [];
  const note = (error: Error) => void refusals.push(error.message);
  const run = (workspaceId: WorkspaceId, n: number) => checks.run(makeDomain(workspaceId, n));
  for (let n = 0; n < 25; n += 1) run(bad, n).catch(note);
  await new Promise(setImmediate);
  const hint = /overloaded|Too many domains of this workspace/;
  t.same([running(), refusals.length], [4, 1], 'four run, twenty wait');
  t.match(refusals[0], hint);
  run(newId<'workspace'>(), 99).catch(note);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  t.equal(running(), 5, 'another one is served at once');
});

t.test('those of one domain at one time are one', async (t) => {
  const { checks, makeDomain, newId, running } = await openChecks(t);
  const [domain, other] = [makeDomain(newId<'workspace'>(), 1), makeDomain(newId<'workspace'>(), 2)];
  for (const each of [domain, domain, other, domain]) checks.run(each).catch(() => undefined);
  await new Promise(setImmediate);
  t.equal(running(), 2);
});
