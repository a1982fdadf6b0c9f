import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createEvents } from '../../../src/events/events.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { parsePlans } from '../../../src/kernel/plans.ts';
import { resumeWorkspace, reviewStanding } from '../../../src/outbound/sending-state.ts';
import { addOutcomes } from '../../../src/store/outcomes.ts';
import { openStore } from '../../../src/store/store.ts';
import { findWorkspaceById, insertWorkspace } from '../../../src/store/workspaces.ts';

const file = new URL('../../../config/plans.toml', import.meta.url);
const plans = parsePlans(readFileSync(file, 'utf8'), file.pathname);
const NOW = Date.UTC(2026, 0, 10, 12);
const clock = { now: () => NOW };

const standingAfter = async (t: Test, sent: number, bounced: number, complained: number, hidden = false) => {
  const store = openStore(join(t.testdir({}), 'x.db'), NOW);
  const newId = createIdSource(clock, randomBytes);
  const events = createEvents(clock, randomBytes, () => {});
  const heard: string[] = [];
  events.subscribe(({ name }) => heard.push(name));
  const id = newId<'workspace'>();
  const needs = { events, plans };
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
    await addOutcomes(tx, id, NOW, { sent, bounced, complained });
    await reviewStanding(needs, tx, id, NOW);
  });
  const workspace = await findWorkspaceById(store.read, id);
  return { store, needs, workspace, heard };
};

t.test('the lines, and what they need before they count', async (t) => {
  const cases: [sent: number, bounced: number, complained: number, state: string][] = [
    [49, 49, 9, 'normal'],
    [100, 4, 0, 'normal'],
    [100, 5, 0, 'throttled'],
    [100, 10, 0, 'paused'],
    [100, 0, 1, 'normal'],
    [1000, 0, 2, 'throttled'],
    [1000, 0, 3, 'paused'],
    [100, 0, 2, 'throttled'],
    [100_000, 0, 99, 'normal'],
  ];
  for (const [sent, bounced, complained, state] of cases) {
    const { store, workspace, heard } = await standingAfter(t, sent, bounced, complained);
    t.equal(workspace?.sendingState, state, `${sent} sent, ${bounced} bounced, ${complained} complained`);
    t.same(heard, state === 'normal' ? [] : [`workspace.${state}`]);
    await store.close();
  }
});

t.test("an owner's resume begins with a clean slate", async (t) => {
  const { store, needs, workspace, heard } = await standingAfter(t, 100, 50, 0);
  if (!workspace) return t.fail('no workspace');
  await store.write((tx) => resumeWorkspace(needs, tx, workspace, NOW + 3_600_000));
  await store.write(async (tx) => {
    await addOutcomes(tx, workspace.id, NOW + 7_200_000, { sent: 60, bounced: 1 });
    await reviewStanding(needs, tx, workspace.id, NOW + 7_200_000);
  });
  t.equal((await findWorkspaceById(store.read, workspace.id))?.sendingState, 'normal');
  t.same(heard, ['workspace.paused', 'workspace.resumed']);
  await store.close();
});

t.test("the box's own workspace is never held back", async (t) => {
  const { store, workspace, heard } = await standingAfter(t, 100, 90, 9, true);
  t.equal(workspace?.sendingState, 'normal');
  t.same(heard, []);
  await store.close();
});
