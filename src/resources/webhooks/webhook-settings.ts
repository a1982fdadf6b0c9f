/** Checks an endpoint's settings and converts them to their stored form. */

import { ApiError, wrongField } from '../../kernel/errors.ts';
import type { MailboxId, WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import { findAgentByMailbox } from '../../store/accounts/agents.ts';
import type { Webhook } from '../../store/events/webhooks.ts';
import type { Db } from '../../store/store.ts';
import { requireHeaders } from '../../webhooks/headers.ts';
import { templateText } from '../../webhooks/payload-template.ts';
import type { WebhookSeal } from '../../webhooks/secrets.ts';
import { requireWebhookUrl } from '../../webhooks/url.ts';
import type { Needs } from '../needs.ts';

export interface SettingsNeeds extends Needs<'findAddresses'> {
  read: Db;
  seal: WebhookSeal;
}

export interface GivenSettings {
  url?: string | undefined;
  events?: string[] | undefined;
  mailbox_id?: MailboxId | null | undefined;
  headers?: Record<string, string> | undefined;
  template?: Record<string, unknown> | null | undefined;
}

type Settings = Pick<Webhook, 'url' | 'events' | 'mailboxId' | 'headerNames' | 'sealedHeaders' | 'template'>;

const requireEvents = (events: string[]): string[] => {
  if (events.length === 0) throw new ApiError('events_required');
  return [...new Set(events)];
};

const requireMailbox = async (db: Db, workspaceId: WorkspaceId, mailboxId: MailboxId): Promise<MailboxId> => {
  const agent = await findAgentByMailbox(db, mailboxId);
  if (agent?.workspaceId === workspaceId) return mailboxId;
  throw wrongField('mailbox_id', 'is no mailbox of this workspace');
};

/** Checks only the given fields; the URL last, because only it queries DNS. */
export const checkSettings = async (
  { read, seal, findAddresses }: SettingsNeeds,
  workspaceId: WorkspaceId,
  id: WebhookId,
  { url, events, mailbox_id, headers, template }: GivenSettings,
): Promise<Partial<Settings>> => {
  const settings: Partial<Settings> = {};
  if (events !== undefined) settings.events = requireEvents(events);
  if (headers !== undefined) {
    const checked = requireHeaders(headers);
    settings.headerNames = Object.keys(checked);
    settings.sealedHeaders = settings.headerNames.length === 0 ? null : seal.sealHeaders(id, checked);
  }
  if (template !== undefined) settings.template = template && templateText(template);
  if (mailbox_id !== undefined) {
    settings.mailboxId = mailbox_id && (await requireMailbox(read, workspaceId, mailbox_id));
  }
  if (url !== undefined) settings.url = await requireWebhookUrl(url, findAddresses);
  return settings;
};

/**
 * Header values are never shown again, so they are sent only to the host that they were given for.
 * @throws ApiError invalid_request
 */
export const requireSameHost = ({ url, headerNames }: Webhook, wanted: string | undefined): void => {
  if (wanted === undefined || headerNames.length === 0 || new URL(wanted).origin === new URL(url).origin) return;
  throw new ApiError('invalid_request', {
    hint: 'Another host needs `headers` again: the values of the present ones were given for this one. {} takes none.',
  });
};
