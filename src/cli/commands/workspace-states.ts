/** `postroom workspaces pause|resume|plan`: what a person decides about a workspace's sending. */

import type { Instance } from '../../app/instance.ts';
import { createEvents } from '../../events/publish-events.ts';
import { pauseWorkspace, type ReputationNeeds, resumeWorkspace } from '../../outbound/gate/reputation-state.ts';
import { setPlan, type Workspace } from '../../store/accounts/workspaces.ts';
import { command } from '../command.ts';
import { refused, wrongUsage } from '../failure.ts';
import { requireWorkspace } from '../find.ts';
import { optional, required } from '../parameters.ts';
import { requirePlan } from '../plan-name.ts';
import { withInstance } from '../with-instance.ts';

const workspaceOperand = { workspace: required('WORKSPACE', 'name, slug or id') };
/** What a pause says where its person gave no reason. */
const PAUSED_BY_OWNER = 'owner';

const stateNeeds = ({ plans, runtime: { clock, random } }: Instance): ReputationNeeds => ({
  plans,
  events: createEvents(clock, random, () => {}),
});

const answer = ({ id, slug, name }: Workspace, sendingState: string, text: string) => ({
  document: { id, name, slug, sending_state: sendingState },
  text: () => text,
});

const pause = command({
  name: 'workspaces pause',
  summary: 'refuses every send of a workspace until it is resumed',
  operands: workspaceOperand,
  options: { reason: optional('TEXT', 'told with the event workspace.paused') },
  run: ({ workspace, reason }, context) =>
    withInstance(context, async (instance) => {
      const { store, runtime } = instance;
      const found = await requireWorkspace(store.read, workspace);
      const now = runtime.clock.now();
      const done = await store.write((tx) =>
        pauseWorkspace(stateNeeds(instance), tx, found, reason ?? PAUSED_BY_OWNER, now),
      );
      if (!done) throw refused(`${found.name} is paused already (${found.sendingStateReason}).`);
      return answer(found, 'paused', `${found.name} is paused: every send is refused.`);
    }),
});

const resume = command({
  name: 'workspaces resume',
  summary: 'lets a paused or throttled workspace send again, with a clean slate',
  operands: workspaceOperand,
  options: {},
  run: ({ workspace }, context) =>
    withInstance(context, async (instance) => {
      const { store, runtime } = instance;
      const found = await requireWorkspace(store.read, workspace);
      const done = await store.write((tx) => resumeWorkspace(stateNeeds(instance), tx, found, runtime.clock.now()));
      if (!done) throw refused(`Nothing holds ${found.name} back.`);
      return answer(found, 'normal', `${found.name} sends again.`);
    }),
});

const parseUsd = (text: string): number => {
  const usd = Number(text);
  if (/^\d{1,7}(\.\d{1,6})?$/.test(text) && Number.isFinite(usd)) return usd;
  throw wrongUsage(`${text} is no amount in USD: write it as 25 or 12.50, from 0 up.`);
};

const plan = command({
  name: 'workspaces plan',
  summary: "changes a workspace's plan",
  operands: workspaceOperand,
  options: {
    plan: required('P', 'one of the plans file'),
    'spend-cap': optional('USD', "what a month may cost beyond the plan; without it the plan's own cap"),
  },
  run: ({ workspace, plan: name, 'spend-cap': cap }, context) =>
    withInstance(context, async ({ store, plans }) => {
      const wanted = requirePlan(name, plans);
      const spendCap = cap === undefined ? null : parseUsd(cap);
      const { id, name: shown, slug } = await requireWorkspace(store.read, workspace);
      await store.write((tx) => setPlan(tx, id, wanted, spendCap));
      return {
        document: { id, name: shown, slug, plan: wanted, spend_cap_usd: spendCap },
        text: () => `${shown} has the plan ${wanted}.`,
      };
    }),
});

export const workspaceStateCommands = [pause, resume, plan];
