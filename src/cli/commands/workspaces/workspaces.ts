import { type Config, servedZone } from '../../../config/config.ts';
import { parseAddress } from '../../../kernel/address.ts';
import { type WorkspaceView, workspacesContract } from '../../../resources/workspaces/contract.ts';
import { flag, listCommand, operationCommand, optional, required, requireLine } from '../../command.ts';
import { wrongUsage } from '../../failure.ts';
import { details, yesNo } from '../../table.ts';
import { requirePlan } from './plan-name.ts';

const parseOwner = (text: string): string => {
  const address = parseAddress(text.trim());
  if (address) return address;
  throw wrongUsage(`${text} is no e-mail address: --owner takes one, as you@example.com.`);
};

const verifyLine = ({ slug }: { slug: string }): string => `postroom workspaces verify ${slug}`;
const dnsAdvice = ({ subdomain }: { subdomain: string }, config: Config): string => {
  const zone = servedZone(config);
  return zone === null
    ? `Publish its DNS records: postroom dns show ${subdomain}`
    : `The built-in DNS server answers its records, as soon as ${zone} is delegated to this host.`;
};

const add = operationCommand({
  name: 'workspaces add',
  summary: 'makes a workspace, with a subdomain of its own',
  operands: { name: required('NAME', 'its name; the subdomain is made from it') },
  options: {
    owner: required('EMAIL', 'whom it belongs to'),
    plan: optional('PLAN', 'one of config/plans.toml; without it unlimited'),
    verified: flag('take the owner as verified: until it is, nothing is sent'),
  },
  call: (call, { name, owner, plan = 'unlimited', verified }, { plans }) =>
    call(workspacesContract.add, {
      name: requireLine("A workspace's name", 200, name),
      owner_email: parseOwner(owner),
      verified,
      plan: requirePlan(plan, plans),
    }),
  text: (workspace, { verified }, { config }) =>
    [
      details(Object.entries(workspace)),
      dnsAdvice(workspace, config),
      ...(verified
        ? []
        : [`It may not send until its owner has signed in by a mailed link, or by: ${verifyLine(workspace)}`]),
    ].join('\n\n'),
});

/** The claim of an agent's signup; an unclaimed one lapses on the given day. */
const claimText = ({ claim, lapses_at }: WorkspaceView): string | null =>
  lapses_at === null ? claim : `open until ${lapses_at.slice(0, 10)}`;

const list = listCommand({
  name: 'workspaces list',
  summary: 'lists all workspaces',
  operation: workspacesContract.list,
  columns: [
    'name',
    'slug',
    'subdomain',
    'plan',
    ['OWNER', 'owner_email'],
    ['MAY SEND', (each) => yesNo(each.may_send)],
    ['STATE', 'sending_state'],
    ['CLAIM', claimText],
  ],
  none: 'No workspaces yet.',
});

const show = operationCommand({
  name: 'workspaces show',
  summary: 'shows a workspace with its domains and agents',
  operands: { workspace: required('WORKSPACE', 'name, slug or id') },
  call: (call, { workspace }) => call(workspacesContract.get, { workspace }),
  text: ({ usage, domains, agents, ...view }) =>
    details([
      ...Object.entries(view),
      ...Object.entries(usage),
      ['domains', domains.join(', ')],
      ['agents', agents.map(({ address }) => address).join(', ')],
    ]),
});

export const workspaceCommands = [add, list, show];
