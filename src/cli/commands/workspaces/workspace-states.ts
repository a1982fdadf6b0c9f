/** `postroom workspaces verify|pause|resume|plan|remove`: a workspace's states, set by a person. */

import { workspacesContract } from '../../../resources/workspaces/contract.ts';
import { flag, operationCommand, optional, required } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { wrongUsage } from '../../failure.ts';
import { requirePlan } from './plan-name.ts';

const workspaceOperand = { workspace: required('WORKSPACE', 'name, slug or id') };

const verify = operationCommand({
  name: 'workspaces verify',
  summary: "takes the owner's address as verified: until it is, nothing is sent; a signup lapses no more",
  operands: workspaceOperand,
  call: (call, { workspace }) => call(workspacesContract.verify, { workspace }),
  text: ({ name }) => `${name} may send.`,
});

const pause = operationCommand({
  name: 'workspaces pause',
  summary: 'refuses every send of a workspace until it is resumed',
  operands: workspaceOperand,
  options: { reason: optional('TEXT', 'told with the event workspace.paused') },
  call: (call, { workspace, reason }) => call(workspacesContract.pause, { workspace, reason }),
  text: ({ name }) => `${name} is paused: every send is refused.`,
});

const resume = operationCommand({
  name: 'workspaces resume',
  summary: 'lets a paused or throttled workspace send again, with a clean slate',
  operands: workspaceOperand,
  call: (call, { workspace }) => call(workspacesContract.resume, { workspace }),
  text: ({ name }) => `${name} sends again.`,
});

const parseUsd = (text: string): number => {
  const usd = Number(text);
  if (/^\d{1,7}(\.\d{1,6})?$/.test(text) && Number.isFinite(usd)) return usd;
  throw wrongUsage(`${text} is no amount in USD: write it as 25 or 12.50, from 0 up.`);
};

const plan = operationCommand({
  name: 'workspaces plan',
  summary: "changes a workspace's plan, and ends its probation",
  operands: workspaceOperand,
  options: {
    plan: required('P', 'one of the plans file'),
    'spend-cap': optional('USD', "what a month may cost beyond the plan; without it the plan's own cap"),
  },
  call: (call, { workspace, plan, 'spend-cap': cap }, { plans }) =>
    call(workspacesContract.setPlan, {
      workspace,
      plan: requirePlan(plan, plans),
      spend_cap_usd: cap === undefined ? null : parseUsd(cap),
    }),
  text: ({ name, plan }) => `${name} has the plan ${plan}, and is not on probation.`,
});

const remove = operationCommand({
  name: 'workspaces remove',
  summary: 'ends a workspace for good, with its agents and all data',
  operands: workspaceOperand,
  options: { yes: flag('do not ask') },
  notes:
    'At once: API keys end, addresses answer 550, waiting mail is cancelled, webhooks are off, owners lose it. Mail, contacts,\n' +
    'notes and secrets are deleted by the daemon within minutes; only a backup has them then. Handles and the subdomain are\n' +
    'never given again. The activity log keeps what it has.',
  call: async (call, { workspace, yes }) => {
    const { id, name, agents } = await call(workspacesContract.get, { workspace });
    const addresses = agents.map(({ address }) => address).join(', ');
    await confirm(`Remove the workspace ${name} (${addresses === '' ? 'no agents' : addresses}) for good?`, yes);
    return call(workspacesContract.remove, { workspace: id });
  },
  text: ({ name }) => `${name} is removed; its data is deleted in the background.`,
});

export const workspaceStateCommands = [verify, pause, resume, plan, remove];
