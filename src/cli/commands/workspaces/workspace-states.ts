/** `postroom workspaces verify|pause|resume|plan|remove`: what a person decides about a workspace's sending. */

import { workspacesContract } from '../../../resources/workspaces/contract.ts';
import { command } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { wrongUsage } from '../../failure.ts';
import { flag, optional, required } from '../../parameters.ts';
import { requirePlan } from '../../plan-name.ts';
import { withOperations } from '../../with-operations.ts';

const workspaceOperand = { workspace: required('WORKSPACE', 'name, slug or id') };

const verify = command({
  name: 'workspaces verify',
  summary: "takes the owner's address as verified: until it is, nothing is sent; a signup lapses no more",
  operands: workspaceOperand,
  options: {},
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(workspacesContract.verify, { workspace });
      return { document, text: () => `${document.name} may send.` };
    }),
});

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
  summary: "changes a workspace's plan, and ends its probation",
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
      return { document, text: () => `${document.name} has the plan ${document.plan}, and is not on probation.` };
    }),
});

const remove = command({
  name: 'workspaces remove',
  summary: 'ends a workspace for good, with its agents and all data',
  operands: workspaceOperand,
  options: { yes: flag('do not ask') },
  notes:
    'At once: API keys end, addresses answer 550, waiting mail is cancelled, webhooks are off, owners lose it. Mail, contacts,\n' +
    'notes and secrets are deleted by the daemon within minutes; only a backup has them then. Handles and the subdomain are\n' +
    'never given again. The activity log keeps what it has.',
  run: ({ workspace, yes }, context) =>
    withOperations(context, async (call) => {
      const { id, name, agents } = await call(workspacesContract.get, { workspace });
      const addresses = agents.map(({ address }) => address).join(', ');
      await confirm(`Remove the workspace ${name} (${addresses === '' ? 'no agents' : addresses}) for good?`, yes);
      const document = await call(workspacesContract.remove, { workspace: id });
      return { document, text: () => `${document.name} is removed; its data is deleted in the background.` };
    }),
});

export const workspaceStateCommands = [verify, pause, resume, plan, remove];
