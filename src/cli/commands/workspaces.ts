/** `postroom workspaces` */

import type { Instance } from '../../app/instance.ts';
import { parseAddress } from '../../kernel/address.ts';
import { addWorkspace, subdomainOf } from '../../resources/owner/workspaces.ts';
import { listAgents } from '../../store/accounts/agents.ts';
import { listDomains } from '../../store/accounts/domains.ts';
import { listWorkspaces, type Workspace } from '../../store/accounts/workspaces.ts';
import { command } from '../command.ts';
import { refused, wrongUsage } from '../failure.ts';
import { requireWorkspace } from '../find.ts';
import { flag, optional, required } from '../parameters.ts';
import { requirePlan } from '../plan-name.ts';
import { details, table, timeOrNull } from '../table.ts';
import { viewUsage } from '../usage-view.ts';
import { requireVaultKey, withInstance } from '../with-instance.ts';

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

/** Whoever names a workspace by its name has to mean one. */
const refuseSecond = async ({ store }: Instance, name: string): Promise<void> => {
  const isSame = (each: Workspace) => each.name.toLowerCase() === name.toLowerCase();
  const known = (await listWorkspaces(store.read)).find(isSame);
  if (known) throw refused(`There is a workspace ${known.name} already (${known.slug}). Give this one another name.`);
};

const viewWorkspace = (workspace: Workspace, baseDomain: string) => ({
  id: workspace.id,
  name: workspace.name,
  slug: workspace.slug,
  subdomain: subdomainOf(workspace.slug, baseDomain),
  plan: workspace.plan,
  tier: workspace.tier,
  owner_email: workspace.ownerEmail,
  sending_state: workspace.sendingState,
  verified_at: timeOrNull(workspace.verifiedAt),
  created_at: timeOrNull(workspace.createdAt),
});

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
    const known = { name: parseName(name), ownerEmail: parseOwner(owner), verified };
    return withInstance(context, async (instance) => {
      const wanted = { ...known, plan: requirePlan(plan, instance.plans) };
      const { store, newId, config, runtime } = instance;
      const vaultKey = requireVaultKey(instance);
      await refuseSecond(instance, known.name);
      const needs = { store, newId, vaultKey, clock: runtime.clock, baseDomain: config.base_domain };
      const { id, name, slug } = await addWorkspace(needs, wanted);
      const subdomain = subdomainOf(slug, config.base_domain);
      return {
        document: { id, name, slug, subdomain, plan },
        text: () =>
          [
            details([
              ['id', id],
              ['name', name],
              ['slug', slug],
              ['subdomain', subdomain],
              ['plan', plan],
            ]),
            `Publish its DNS records: postroom dns show ${subdomain}`,
          ].join('\n\n'),
      };
    });
  },
});

const list = command({
  name: 'workspaces list',
  summary: 'lists all workspaces',
  operands: {},
  options: {},
  run: (_given, context) =>
    withInstance(context, async ({ store, config }) => {
      const workspaces = (await listWorkspaces(store.read)).map((each) => viewWorkspace(each, config.base_domain));
      const rows = workspaces.map(({ name, slug, subdomain, plan, owner_email, verified_at }) => [
        ...[name, slug, subdomain, plan, owner_email],
        verified_at ? 'yes' : 'no',
      ]);
      return {
        document: { workspaces },
        text: () => table(['NAME', 'SLUG', 'SUBDOMAIN', 'PLAN', 'OWNER', 'VERIFIED'], rows, 'No workspaces yet.'),
      };
    }),
});

const show = command({
  name: 'workspaces show',
  summary: 'shows a workspace with its domains and agents',
  operands: { workspace: required('WORKSPACE', 'name, slug or id') },
  options: {},
  run: ({ workspace }, context) =>
    withInstance(context, async (instance) => {
      const { store, config } = instance;
      const found = await requireWorkspace(store.read, workspace);
      const view = viewWorkspace(found, config.base_domain);
      const usage = await viewUsage(instance, found);
      const domains = (await listDomains(store.read, found.id)).map(({ name }) => name);
      const agents = (await listAgents(store.read, found.id)).map(({ id, handle, address }) => ({
        id,
        handle,
        address,
      }));
      return {
        document: { ...view, usage, domains, agents },
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
