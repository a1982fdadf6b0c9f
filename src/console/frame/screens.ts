/**
 * All screens in one list, from which the rail, the palette, the phone's bar and the keys are made. A new screen is a
 * folder and two lines here.
 */

import type { ComponentType } from 'preact';
import type { IconName } from '../components/icons.ts';

type Group = 'top' | 'Shared' | 'Sending' | 'Workspace';

export interface Screen {
  /** Below `/console`; parts in the manner of wouter. */
  path: string;
  title: string;
  load: () => Promise<ComponentType>;
  /** Its group in the rail; left out: it is reached from another screen. */
  group?: Group;
  icon?: IconName;
  /** After `g`. */
  key?: string;
}

/** Each is loaded when it is first shown. */
const home = () => import('../home/home.tsx').then(({ Home }) => Home);
const approvals = () => import('../approvals/approvals.tsx').then(({ Approvals }) => Approvals);
const inbox = () => import('../inbox/inbox.tsx').then(({ Inbox }) => Inbox);
const agents = () => import('../agents/agents.tsx').then(({ Agents }) => Agents);
const agentSettings = () => import('../agents/agent-settings.tsx').then(({ AgentSettings }) => AgentSettings);
const agentDay = () => import('../agents/agent-day.tsx').then(({ AgentDay }) => AgentDay);
const mail = () => import('../mail/mail.tsx').then(({ Mail }) => Mail);
const importContacts = () => import('../contacts/import.tsx').then(({ ImportContacts }) => ImportContacts);
const duplicates = () => import('../contacts/duplicates.tsx').then(({ Duplicates }) => Duplicates);
const lists = () => import('../contacts/lists.tsx').then(({ Lists }) => Lists);
const contacts = () => import('../contacts/contacts.tsx').then(({ Contacts }) => Contacts);
const notes = () => import('../notes/notes.tsx').then(({ Notes }) => Notes);
const knowledge = () => import('../knowledge/knowledge.tsx').then(({ Knowledge }) => Knowledge);
const vault = () => import('../vault/vault.tsx').then(({ Vault }) => Vault);
const healthPage = () => import('../health/health.tsx').then(({ HealthPage }) => HealthPage);
const domains = () => import('../domains/domains.tsx').then(({ Domains }) => Domains);
const domainPage = () => import('../domains/domain.tsx').then(({ DomainPage }) => DomainPage);
const webhooks = () => import('../webhooks/webhooks.tsx').then(({ Webhooks }) => Webhooks);
const webhookPage = () => import('../webhooks/webhook-page.tsx').then(({ WebhookPage }) => WebhookPage);
const suppressions = () => import('../suppressions/suppressions.tsx').then(({ Suppressions }) => Suppressions);
const queue = () => import('../queue/queue.tsx').then(({ Queue }) => Queue);
const connections = () => import('../connections/connections.tsx').then(({ Connections }) => Connections);
const people = () => import('../people/people.tsx').then(({ People }) => People);
const activity = () => import('../activity/activity.tsx').then(({ Activity }) => Activity);
const planPage = () => import('../plan/plan.tsx').then(({ PlanPage }) => PlanPage);
const instancePage = () => import('../instance/instance.tsx').then(({ InstancePage }) => InstancePage);
const you = () => import('../you/you.tsx').then(({ You }) => You);

export const SCREENS: readonly Screen[] = [
  { path: '/', title: 'Home', group: 'top', icon: 'home', key: 'h', load: home },
  { path: '/approvals/:id?', title: 'Approvals', group: 'top', icon: 'approve', key: 'a', load: approvals },
  { path: '/mail', title: 'Mail', group: 'top', icon: 'inbox', key: 'm', load: inbox },
  { path: '/agents', title: 'Agents', load: agents },
  { path: '/agents/:agent/settings', title: 'Settings of an agent', load: agentSettings },
  { path: '/agents/:agent/day', title: 'Day of an agent', load: agentDay },
  { path: '/agents/:agent/:kind?/:id?', title: 'Mail of an agent', load: mail },
  { path: '/contacts/import', title: 'Import contacts', load: importContacts },
  { path: '/contacts/duplicates', title: 'Duplicates', load: duplicates },
  { path: '/contacts/lists/:id?', title: 'Lists', load: lists },
  { path: '/contacts/:id?', title: 'Contacts', group: 'Shared', icon: 'people', key: 'c', load: contacts },
  { path: '/notes/:id?', title: 'Notes', group: 'Shared', icon: 'note', key: 'n', load: notes },
  { path: '/knowledge', title: 'Knowledge', group: 'Shared', icon: 'book', key: 'k', load: knowledge },
  { path: '/vault/:id?', title: 'Vault', group: 'Shared', icon: 'lock', key: 'v', load: vault },
  { path: '/health', title: 'Health', group: 'Sending', icon: 'pulse', key: 'e', load: healthPage },
  { path: '/domains', title: 'Domains', group: 'Sending', icon: 'globe', key: 'd', load: domains },
  { path: '/domains/:domain', title: 'Domain', load: domainPage },
  { path: '/webhooks', title: 'Webhooks', group: 'Sending', icon: 'hook', key: 'w', load: webhooks },
  { path: '/webhooks/:id', title: 'Webhook', load: webhookPage },
  { path: '/suppressions', title: 'Suppressions', group: 'Sending', icon: 'stop', key: 's', load: suppressions },
  { path: '/queue', title: 'Queue', group: 'Sending', icon: 'out', key: 'q', load: queue },
  { path: '/connections', title: 'Connections', group: 'Workspace', icon: 'plug', key: 'o', load: connections },
  { path: '/people', title: 'People', group: 'Workspace', icon: 'people', key: 'p', load: people },
  { path: '/activity', title: 'Activity', group: 'Workspace', icon: 'list', key: 'l', load: activity },
  { path: '/plan', title: 'Plan and usage', group: 'Workspace', icon: 'gauge', key: 'u', load: planPage },
  { path: '/instance', title: 'Instance', group: 'Workspace', icon: 'box', key: 'i', load: instancePage },
  { path: '/you', title: 'You', icon: 'passkey', load: you },
];

export const GROUPS = ['Shared', 'Sending', 'Workspace'] as const;
/** Where its link leads: the list, with nothing open. */
export const linkOf = ({ path }: Screen): string => path.replace('/:id?', '');
