/** `postroom workspaces pause|resume|plan`: what a person decides about a workspace's sending. */

import { workspacesContract } from '../../resources/workspaces/contract.ts';
import { command } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { optional, required } from '../parameters.ts';
import { requirePlan } from '../plan-name.ts';
import { withOperations } from '../with-operations.ts';

const workspaceOperand = { workspace: required('WORKSPACE', 'name, slug or id') };

const pause = command({
  name: 'workspaces pause',
  summary: 'refuses every send of a workspace until it is resumed',
  operands: workspaceOperand,
  options: { reason: optional('TEXT', 'told with the event workspace.paused') },
  run: ({ workspace, reason }, context) =>
    withOperations(context, async (call) => {
      const document = await call(workspacesContract.pause, { workspace, reason });
      return { document, text: () => `${document.name} is paused: every send is refused.` };
    }),
});

const resume = command({
  name: 'workspaces resume',
  summary: 'lets a paused or throttled workspace send again, with a clean slate',
  operands: workspaceOperand,
  options: {},
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(workspacesContract.resume, { workspace });
      return { document, text: () => `${document.name} sends again.` };
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
    withOperations(context, async (call, { plans }) => {
      const wanted = requirePlan(name, plans);
      const spend_cap_usd = cap === undefined ? null : parseUsd(cap);
      const document = await call(workspacesContract.setPlan, { workspace, plan: wanted, spend_cap_usd });
      return { document, text: () => `${document.name} has the plan ${document.plan}.` };
    }),
});

export const workspaceStateCommands = [pause, resume, plan];
