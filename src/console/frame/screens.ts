/**
 * All screens in one list, from which the rail, the palette, the phone's bar and the keys are made. A new screen is a
 * folder and a line here.
 */

import type { ComponentType } from 'preact';
import type { IconName } from '../components/icons.ts';

type Group = 'top' | 'Shared' | 'Sending' | 'Workspace';

export interface Screen {
  /** Below `/console`; parts in the manner of wouter. */
  path: string;
  title: string;
  /** Loaded when it is first shown. */
  load: () => Promise<ComponentType>;
  /** Its group in the rail; left out: it is reached from another screen. */
  group?: Group;
  icon?: IconName;
  /** After `g`. */
  key?: string;
  /** The path of its link in the rail, where it differs. */
  link?: string;
}

export const SCREENS: readonly Screen[] = [
  {
    path: '/',
    title: 'Home',
    load: () => import('../home/home.tsx').then(({ Home }) => Home),
    group: 'top',
    icon: 'home',
    key: 'h',
  },
  {
    path: '/approvals/:id?',
    link: '/approvals',
    title: 'Approvals',
    group: 'top',
    icon: 'approve',
    key: 'a',
    load: () => import('../approvals/approvals.tsx').then(({ Approvals }) => Approvals),
  },
  {
    path: '/mail',
    title: 'Mail',
    group: 'top',
    icon: 'inbox',
    key: 'm',
    load: () => import('../inbox/inbox.tsx').then(({ Inbox }) => Inbox),
  },
  {
    path: '/agents',
    title: 'Agents',
    load: () => import('../agents/agents.tsx').then(({ Agents }) => Agents),
  },
  {
    path: '/agents/:agent/settings',
    title: 'Settings of an agent',
    load: () => import('../agents/agent-settings.tsx').then(({ AgentSettings }) => AgentSettings),
  },
  {
    path: '/agents/:agent/day',
    title: 'Day of an agent',
    load: () => import('../agents/agent-day.tsx').then(({ AgentDay }) => AgentDay),
  },
  {
    path: '/agents/:agent/:kind?/:id?',
    title: 'Mail of an agent',
    load: () => import('../mail/mail.tsx').then(({ Mail }) => Mail),
  },
  {
    path: '/contacts/import',
    title: 'Import contacts',
    load: () => import('../contacts/import.tsx').then(({ ImportContacts }) => ImportContacts),
  },
  {
    path: '/contacts/duplicates',
    title: 'Duplicates',
    load: () => import('../contacts/duplicates.tsx').then(({ Duplicates }) => Duplicates),
  },
  {
    path: '/contacts/lists/:id?',
    link: '/contacts/lists',
    title: 'Lists',
    load: () => import('../contacts/lists.tsx').then(({ Lists }) => Lists),
  },
  {
    path: '/contacts/:id?',
    link: '/contacts',
    title: 'Contacts',
    group: 'Shared',
    icon: 'people',
    key: 'c',
    load: () => import('../contacts/contacts.tsx').then(({ Contacts }) => Contacts),
  },
  {
    path: '/notes/:id?',
    link: '/notes',
    title: 'Notes',
    group: 'Shared',
    icon: 'note',
    key: 'n',
    load: () => import('../notes/notes.tsx').then(({ Notes }) => Notes),
  },
  {
    path: '/knowledge',
    title: 'Knowledge',
    group: 'Shared',
    icon: 'book',
    key: 'k',
    load: () => import('../knowledge/knowledge.tsx').then(({ Knowledge }) => Knowledge),
  },
  {
    path: '/vault/:id?',
    link: '/vault',
    title: 'Vault',
    group: 'Shared',
    icon: 'lock',
    key: 'v',
    load: () => import('../vault/vault.tsx').then(({ Vault }) => Vault),
  },
  {
    path: '/health',
    title: 'Health',
    group: 'Sending',
    icon: 'pulse',
    key: 'e',
    load: () => import('../health/health.tsx').then(({ HealthPage }) => HealthPage),
  },
  {
    path: '/domains',
    title: 'Domains',
    group: 'Sending',
    icon: 'globe',
    key: 'd',
    load: () => import('../domains/domains.tsx').then(({ Domains }) => Domains),
  },
  {
    path: '/domains/:domain',
    title: 'Domain',
    load: () => import('../domains/domain.tsx').then(({ DomainPage }) => DomainPage),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    group: 'Sending',
    icon: 'hook',
    key: 'w',
    load: () => import('../webhooks/webhooks.tsx').then(({ Webhooks }) => Webhooks),
  },
  {
    path: '/webhooks/:id',
    title: 'Webhook',
    load: () => import('../webhooks/webhook-page.tsx').then(({ WebhookPage }) => WebhookPage),
  },
  {
    path: '/suppressions',
    title: 'Suppressions',
    group: 'Sending',
    icon: 'stop',
    key: 's',
    load: () => import('../suppressions/suppressions.tsx').then(({ Suppressions }) => Suppressions),
  },
  {
    path: '/queue',
    title: 'Queue',
    group: 'Sending',
    icon: 'out',
    key: 'q',
    load: () => import('../queue/queue.tsx').then(({ Queue }) => Queue),
  },
  {
    path: '/connections',
    title: 'Connections',
    group: 'Workspace',
    icon: 'plug',
    key: 'o',
    load: () => import('../connections/connections.tsx').then(({ Connections }) => Connections),
  },
  {
    path: '/people',
    title: 'People',
    group: 'Workspace',
    icon: 'people',
    key: 'p',
    load: () => import('../people/people.tsx').then(({ People }) => People),
  },
  {
    path: '/activity',
    title: 'Activity',
    group: 'Workspace',
    icon: 'list',
    key: 'l',
    load: () => import('../activity/activity.tsx').then(({ Activity }) => Activity),
  },
  {
    path: '/plan',
    title: 'Plan and usage',
    group: 'Workspace',
    icon: 'gauge',
    key: 'u',
    load: () => import('../plan/plan.tsx').then(({ PlanPage }) => PlanPage),
  },
  {
    path: '/instance',
    title: 'Instance',
    group: 'Workspace',
    icon: 'box',
    key: 'i',
    load: () => import('../instance/instance.tsx').then(({ InstancePage }) => InstancePage),
  },
  {
    path: '/you',
    title: 'You',
    icon: 'passkey',
    load: () => import('../you/you.tsx').then(({ You }) => You),
  },
];

export const GROUPS = ['Shared', 'Sending', 'Workspace'] as const;
export const linkOf = ({ path, link }: Screen): string => link ?? path;
