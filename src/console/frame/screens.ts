/**
 * The screens, once: the rail, the palette, the phone's bar and the keys are made of this list. A new screen is a folder of
 * its own and a line here.
 */

import type { ComponentType } from 'preact';
import { lazy } from 'preact/compat';
import type { IconName } from '../pieces/icons.ts';

type Group = 'top' | 'Shared' | 'Sending' | 'Workspace';

export interface Screen {
  /** Below `/console`; parts in the manner of wouter. */
  path: string;
  title: string;
  component: ComponentType;
  /** Where it stands in the rail; left out: it is reached from another screen. */
  group?: Group;
  icon?: IconName;
  /** After `g`. */
  key?: string;
  /** The path that its link in the rail leads to, where that is another. */
  link?: string;
}

/** Loaded when it is first shown. */
const screen = (load: () => Promise<ComponentType>): ComponentType => lazy(async () => ({ default: await load() }));

export const SCREENS: readonly Screen[] = [
  {
    path: '/',
    title: 'Home',
    component: screen(() => import('../home/home.tsx').then(({ Home }) => Home)),
    group: 'top',
    icon: 'home',
    key: 'h',
  },
  {
    ...{ path: '/approvals/:id?', link: '/approvals', title: 'Approvals', group: 'top', icon: 'approve', key: 'a' },
    component: screen(() => import('../approvals/approvals.tsx').then(({ Approvals }) => Approvals)),
  },
  {
    path: '/agents',
    title: 'Agents',
    component: screen(() => import('../agents/agents.tsx').then(({ Agents }) => Agents)),
  },
  {
    ...{ path: '/agents/:agent/settings', title: 'Settings of an agent' },
    component: screen(() => import('../agents/agent-settings.tsx').then(({ AgentSettings }) => AgentSettings)),
  },
  {
    path: '/agents/:agent/:kind?/:id?',
    title: 'Mail',
    component: screen(() => import('../mail/mail.tsx').then(({ Mail }) => Mail)),
  },
  {
    ...{ path: '/contacts/import', title: 'Import contacts' },
    component: screen(() => import('../contacts/import.tsx').then(({ ImportContacts }) => ImportContacts)),
  },
  {
    ...{ path: '/contacts/duplicates', title: 'Duplicates' },
    component: screen(() => import('../contacts/duplicates.tsx').then(({ Duplicates }) => Duplicates)),
  },
  {
    ...{ path: '/contacts/lists/:id?', link: '/contacts/lists', title: 'Lists' },
    component: screen(() => import('../contacts/lists.tsx').then(({ Lists }) => Lists)),
  },
  {
    ...{ path: '/contacts/:id?', link: '/contacts', title: 'Contacts', group: 'Shared', icon: 'people', key: 'c' },
    component: screen(() => import('../contacts/contacts.tsx').then(({ Contacts }) => Contacts)),
  },
  {
    ...{ path: '/notes/:id?', link: '/notes', title: 'Notes', group: 'Shared', icon: 'note', key: 'n' },
    component: screen(() => import('../notes/notes.tsx').then(({ Notes }) => Notes)),
  },
  {
    ...{ path: '/knowledge', title: 'Knowledge', group: 'Shared', icon: 'book', key: 'k' },
    component: screen(() => import('../knowledge/knowledge.tsx').then(({ Knowledge }) => Knowledge)),
  },
  {
    ...{ path: '/vault/:id?', link: '/vault', title: 'Vault', group: 'Shared', icon: 'lock', key: 'v' },
    component: screen(() => import('../vault/vault.tsx').then(({ Vault }) => Vault)),
  },
  {
    ...{ path: '/domains', title: 'Domains', group: 'Sending', icon: 'globe', key: 'd' },
    component: screen(() => import('../domains/domains.tsx').then(({ Domains }) => Domains)),
  },
  {
    ...{ path: '/domains/:domain', title: 'Domain' },
    component: screen(() => import('../domains/domain.tsx').then(({ DomainPage }) => DomainPage)),
  },
  {
    ...{ path: '/webhooks', title: 'Webhooks', group: 'Sending', icon: 'hook', key: 'w' },
    component: screen(() => import('../webhooks/webhooks.tsx').then(({ Webhooks }) => Webhooks)),
  },
  {
    ...{ path: '/webhooks/:id', title: 'Webhook' },
    component: screen(() => import('../webhooks/webhook-page.tsx').then(({ WebhookPage }) => WebhookPage)),
  },
  {
    ...{ path: '/suppressions', title: 'Suppressions', group: 'Sending', icon: 'stop', key: 's' },
    component: screen(() => import('../suppressions/suppressions.tsx').then(({ Suppressions }) => Suppressions)),
  },
  {
    ...{ path: '/queue', title: 'Queue', group: 'Sending', icon: 'out', key: 'q' },
    component: screen(() => import('../queue/queue.tsx').then(({ Queue }) => Queue)),
  },
  {
    ...{ path: '/connections', title: 'Connections', group: 'Workspace', icon: 'plug', key: 'o' },
    component: screen(() => import('../connections/connections.tsx').then(({ Connections }) => Connections)),
  },
  {
    ...{ path: '/people', title: 'People', group: 'Workspace', icon: 'people', key: 'p' },
    component: screen(() => import('../people/people.tsx').then(({ People }) => People)),
  },
  {
    ...{ path: '/activity', title: 'Activity', group: 'Workspace', icon: 'list', key: 'l' },
    component: screen(() => import('../activity/activity.tsx').then(({ Activity }) => Activity)),
  },
  {
    ...{ path: '/plan', title: 'Plan and usage', group: 'Workspace', icon: 'gauge', key: 'u' },
    component: screen(() => import('../plan/plan.tsx').then(({ PlanPage }) => PlanPage)),
  },
  {
    ...{ path: '/instance', title: 'Instance', group: 'Workspace', icon: 'box', key: 'i' },
    component: screen(() => import('../instance/instance.tsx').then(({ InstancePage }) => InstancePage)),
  },
  {
    ...{ path: '/you', title: 'You', icon: 'passkey' },
    component: screen(() => import('../you/you.tsx').then(({ You }) => You)),
  },
];

export const GROUPS = ['Shared', 'Sending', 'Workspace'] as const;
export const linkOf = ({ path, link }: Screen): string => link ?? path;
