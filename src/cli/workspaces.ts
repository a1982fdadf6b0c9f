/** `postroom workspaces` */

import { parseAddress } from '../kernel/address.ts';
import { addWorkspace, subdomainOf } from '../resources/owner/workspaces.ts';
import { listAgents } from '../store/agents.ts';
import { listDomains } from '../store/domains.ts';
import { listWorkspaces, type Workspace } from '../store/workspaces.ts';
import { command } from './command.ts';
import { wrongUsage } from './failure.ts';
import { requireWorkspace } from './find.ts';
import { requireVaultKey, withBox } from './open-box.ts';
import { flag, optional, required } from './parameters.ts';
import { details, table, timeOrNull } from './table.ts';

const PLANS = ['free', 'pro', 'unlimited'];
/** A line in a list, not a text. */
const MAX_NAME = 200;

const parsePlan = (text: string): string => {
  if (PLANS.includes(text)) return text;
  throw wrongUsage(`There is no plan ${text}: it is ${PLANS.join(', ')}.`);
};

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

const viewWorkspace = ({ id, name, slug, ownerEmail, plan, verifiedAt, createdAt }: Workspace, baseDomain: string) => ({
  id,
  name,
  slug,
  subdomain: subdomainOf(slug, baseDomain),
  plan,
  owner_email: ownerEmail,
  verified_at: timeOrNull(verifiedAt),
  created_at: timeOrNull(createdAt),
});

const add = command({
  name: 'workspaces add',
  summary: 'makes a workspace, with a subdomain of its own',
  operands: { name: required('NAME', 'its name; the subdomain is made from it') },
  options: {
    owner: required('EMAIL', 'whom it belongs to'),
    plan: optional('PLAN', `${PLANS.join(', ')}; without it unlimited`),
    verified: flag('take the owner as verified: until it is, nothing is sent'),
  },
  run: async ({ name, owner, plan = 'unlimited', verified }, context) => {
    const wanted = { name: parseName(name), ownerEmail: parseOwner(owner), plan: parsePlan(plan), verified };
    return withBox(context, async (box) => {
      const { store, newId, config, surroundings } = box;
      const vaultKey = requireVaultKey(box);
      const needs = { store, newId, vaultKey, clock: surroundings.clock, baseDomain: config.base_domain };
      const { id, name, slug, plan } = await addWorkspace(needs, wanted);
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
    withBox(context, async ({ store, config }) => {
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
    withBox(context, async ({ store, config }) => {
      const found = await requireWorkspace(store.read, workspace);
      const view = viewWorkspace(found, config.base_domain);
      const domains = (await listDomains(store.read, found.id)).map(({ name }) => name);
      const agents = (await listAgents(store.read, found.id)).map(({ id, handle, address }) => ({
        id,
        handle,
        address,
      }));
      return {
        document: { ...view, domains, agents },
        text: () =>
          details([
            ...Object.entries(view),
            ['domains', domains.join(', ')],
            ['agents', agents.map(({ address }) => address).join(', ')],
          ]),
      };
    }),
});

export const workspaceCommands = [add, list, show];
