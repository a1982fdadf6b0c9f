/** `postroom workspaces` */

import { type Config, servedZone } from '../../../config/config.ts';
import { parseAddress } from '../../../kernel/address.ts';
import { type WorkspaceView, workspacesContract } from '../../../resources/workspaces/contract.ts';
import { command } from '../../command.ts';
import { wrongUsage } from '../../failure.ts';
import { flag, optional, required } from '../../parameters.ts';
import { requirePlan } from '../../plan-name.ts';
import { details, table } from '../../table.ts';
import { withOperations } from '../../with-operations.ts';

/** A line in a list, not a text. */
const MAX_NAME = 200;

const parseName = (text: string): string => {
  const name = text.trim();
  if (name.length <= MAX_NAME && !/\p{Cc}/u.test(name)) return name;
  throw wrongUsage(`A workspace's name is one line of at most ${MAX_NAME} characters.`);
};

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

const add = command({
  name: 'workspaces add',
  summary: 'makes a workspace, with a subdomain of its own',
  operands: { name: required('NAME', 'its name; the subdomain is made from it') },
  options: {
    owner: required('EMAIL', 'whom it belongs to'),
    plan: optional('PLAN', 'one of config/plans.toml; without it unlimited'),
    verified: flag('take the owner as verified: until it is, nothing is sent'),
  },
  run: async ({ name, owner, plan = 'unlimited', verified }, context) => {
    const known = { name: parseName(name), owner_email: parseOwner(owner), verified };
    return withOperations(context, async (call, { plans, config }) => {
      const document = await call(workspacesContract.add, { ...known, plan: requirePlan(plan, plans) });
      return {
        document,
        text: () =>
          [
            details(Object.entries(document)),
            dnsAdvice(document, config),
            ...(verified
              ? []
              : [`It may not send until its owner has signed in by a mailed link, or by: ${verifyLine(document)}`]),
          ].join('\n\n'),
      };
    });
  },
});

const COLUMNS = ['NAME', 'SLUG', 'SUBDOMAIN', 'PLAN', 'OWNER', 'MAY SEND', 'STATE', 'CLAIM'];

/** Of a workspace that an agent signed up for; one that nobody answers for ends on the day that is told. */
const claimText = ({ claim, lapses_at }: WorkspaceView): string | null =>
  lapses_at === null ? claim : `open until ${lapses_at.slice(0, 10)}`;

const list = command({
  name: 'workspaces list',
  summary: 'lists all workspaces',
  operands: {},
  options: {},
  run: (_given, context) =>
    withOperations(context, async (call) => {
      const document = await call(workspacesContract.list, {});
      const rows = document.workspaces.map((each) => [
        each.name,
        each.slug,
        each.subdomain,
        each.plan,
        each.owner_email,
        each.may_send ? 'yes' : 'no',
        each.sending_state,
        claimText(each),
      ]);
      return {
        document,
        text: () => table(COLUMNS, rows, 'No workspaces yet.'),
      };
    }),
});

const show = command({
  name: 'workspaces show',
  summary: 'shows a workspace with its domains and agents',
  operands: { workspace: required('WORKSPACE', 'name, slug or id') },
  options: {},
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(workspacesContract.get, { workspace });
      const { usage, domains, agents, ...view } = document;
      return {
        document,
        text: () =>
          details([
            ...Object.entries(view),
            ...Object.entries(usage),
            ['domains', domains.join(', ')],
            ['agents', agents.map(({ address }) => address).join(', ')],
          ]),
      };
    }),
});

export const workspaceCommands = [add, list, show];
