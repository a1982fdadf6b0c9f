import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createActivityLog } from '../../../../src/activity/activity-log.ts';
import { parsePlans } from '../../../../src/config/plans.ts';
import { createEvents } from '../../../../src/events/publish-events.ts';
import { MINUTE } from '../../../../src/kernel/clock.ts';
import { createIdSource, type WorkspaceId } from '../../../../src/kernel/ids.ts';
import {
  type ReputationNeeds,
  resumeWorkspace,
  updateReputation,
} from '../../../../src/outbound/gate/reputation-state.ts';
import { findWorkspaceById, insertWorkspace } from '../../../../src/store/accounts/workspaces.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { addOutcomes, type Outcomes } from '../../../../src/store/sending/outcomes.ts';
import type { Tx } from '../../../../src/store/store.ts';

const file = new URL('../../../../config/plans.toml', import.meta.url);
const plans = parsePlans(readFileSync(file, 'utf8'), file.pathname);
const NOW = Date.UTC(2026, 0, 10, 12);
const clock = { now: () => NOW };

const update = async (needs: ReputationNeeds, tx: Tx, id: WorkspaceId, now: number) => {
  const workspace = await findWorkspaceById(tx.db, id);
  if (workspace) await updateReputation(needs, tx, workspace, now);
};

const stateAfter = async (t: Test, outcomes: Partial<Outcomes>, hidden = false) => {
  const store = await openStore({ engine: 'sqlite', file: join(t.testdir({}), 'x.db') }, { now: NOW });
  const newId = createIdSource(clock, randomBytes);
  const events = createEvents(clock, randomBytes, () => {});
  const received: string[] = [];
  events.subscribe(({ name }) => received.push(name));
  const id = newId<'workspace'>();
  const told: string[] = [];
  const needs = {
    events,
    plans,
    activity: createActivityLog({ clock, newId }, null),
    notifyPaused: async (_tx: Tx, _id: unknown, reason: string, share: number) => void told.push(`${reason} ${share}`),
  };
  await store.write(async (tx) => {
    await insertWorkspace(tx, {
      id,
      name: 'W',
      slug: 'w',
      ownerEmail: 'o@remote.test',
      plan: 'free',
      verifiedAt: NOW,
      createdAt: NOW,
      hidden,
      tier: 'standard',
    });
    await addOutcomes(tx, id, NOW, { mails: outcomes.ended ?? 0, ...outcomes });
    await update(needs, tx, id, NOW);
  });
  const workspace = await findWorkspaceById(store.read, id);
  return { store, needs, workspace, received, told };
};

t.test('the thresholds, and the minimums below which they do not apply', async (t) => {
  const cases: [outcomes: Partial<Outcomes>, state: string][] = [
    [{ ended: 49, bounced: 49, complained: 9 }, 'normal'],
    [{ ended: 100, mails: 49, bounced: 49, complained: 9 }, 'normal'],
    [{ ended: 100, bounced: 4 }, 'normal'],
    [{ ended: 100, bounced: 5 }, 'throttled'],
    [{ ended: 100, bounced: 10 }, 'paused'],
    [{ ended: 100, complained: 1 }, 'normal'],
    [{ ended: 1000, complained: 2 }, 'throttled'],
    [{ ended: 1000, complained: 3 }, 'paused'],
    [{ ended: 100, complained: 2 }, 'throttled'],
    [{ ended: 100_000, complained: 99 }, 'normal'],
    // Replies throttle, and never pause.
    [{ ended: 100, replyBounced: 4 }, 'normal'],
    [{ ended: 100, replyBounced: 90 }, 'throttled'],
    [{ ended: 100, replyComplained: 1 }, 'normal'],
    [{ ended: 100, replyComplained: 50 }, 'throttled'],
    [{ ended: 100, bounced: 4, replyBounced: 1 }, 'throttled'],
    [{ ended: 100, bounced: 9, replyBounced: 9 }, 'throttled'],
  ];
  for (const [outcomes, state] of cases) {
    const { store, workspace, received, told } = await stateAfter(t, outcomes);
    t.equal(workspace?.sendingState, state, JSON.stringify(outcomes));
    t.same(received, state === 'normal' ? [] : [`workspace.${state}`]);
    const share = (outcomes.complained ?? outcomes.bounced ?? 0) / (outcomes.ended ?? 1);
    const reason = outcomes.complained === undefined ? 'bounce_rate' : 'complaint_rate';
    t.same(told, state === 'paused' ? [`${reason} ${share}`] : []);
    await store.close();
  }
});

t.test("an owner's resume begins with a clean slate", async (t) => {
  // In minutes after the bounces: within the hour that has them, and later.
  for (const [resumed, ended] of [
    [60, 120],
    [20, 21],
  ] as const) {
    const { store, needs, workspace, received } = await stateAfter(t, { ended: 100, bounced: 50 });
    if (!workspace) return t.fail('no workspace');
    const endMore = (minutes: number, more: Partial<Outcomes>) =>
      store.write(async (tx) => {
        await addOutcomes(tx, workspace.id, NOW + minutes * MINUTE, more);
        await update(needs, tx, workspace.id, NOW + minutes * MINUTE);
        return (await findWorkspaceById(tx.db, workspace.id))?.sendingState;
      });
    await store.write((tx) => resumeWorkspace(needs, tx, workspace, NOW + resumed * MINUTE));
    t.equal(await endMore(ended, { ended: 60, mails: 60, bounced: 1 }), 'normal');
    t.same(received, ['workspace.paused', 'workspace.resumed']);
    t.equal(await endMore(ended + 1, { bounced: 5 }), 'paused', 'later bounces count');
    await store.close();
  }
});

t.test("the box's own workspace is never held back", async (t) => {
  const { store, workspace, received } = await stateAfter(t, { ended: 100, bounced: 90, complained: 9 }, true);
  t.equal(workspace?.sendingState, 'normal');
  t.same(received, []);
  await store.close();
});
