/** Webhook endpoints of held agents, which wait for a decision: each is listed in the shape of a held mail. */

import { createHash } from 'node:crypto';
import { isWithinReach } from '../../../access/reach.ts';
import type { Events } from '../../../events/publish-events.ts';
import type { PersonCaller } from '../../../kernel/caller.ts';
import { isoTime } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { parseId, type WorkspaceId } from '../../../kernel/ids.ts';
import { findAgentById, findAgentByMailbox } from '../../../store/accounts/agents.ts';
import type { Webhook } from '../../../store/events/webhooks.ts';
import { deleteWebhook, findWebhookById, listWithheldWebhooks, setWithheld } from '../../../store/events/webhooks.ts';
import type { Db, Tx } from '../../../store/store.ts';
import { announceDecided, describeWaiting, ENDPOINT_WAITS, followAgentState } from '../../../webhooks/withhold.ts';
import type { HeldMailView } from './contract.ts';

const view = async (db: Db, webhook: Webhook): Promise<HeldMailView> => ({
  pending_id: webhook.id,
  status: 'pending',
  agent: (webhook.madeBy && (await findAgentById(db, webhook.madeBy))?.handle) ?? null,
  sent_by: null,
  reason: ENDPOINT_WAITS,
  send_class: 'cold',
  to: [],
  cc: [],
  bcc: [],
  reply_to: [],
  attachments: [],
  secrets: [],
  subject: describeWaiting(webhook),
  snippet: await describe(db, webhook),
  html_differs: false,
  message_id: null,
  decision_note: null,
  failure_reason: null,
  decided_by: null,
  decided_at: null,
  created_at: isoTime(webhook.updatedAt),
  expires_at: null,
  release_at: null,
  edited: false,
});

const describe = async (db: Db, { mailboxId, events }: Webhook): Promise<string> => {
  const heard = mailboxId && (await findAgentByMailbox(db, mailboxId));
  return `Is told of ${events.join(', ')} of ${heard?.address ?? 'the whole workspace'}.`;
};

/** Covers every setting that determines the data sent and its destination. */
const digest = ({ id, url, events, mailboxId, headerNames, sealedHeaders, template }: Webhook): string => {
  const settings = [id, url, events, mailboxId, headerNames, sealedHeaders?.toString('hex'), template];
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
};

export const listWaitingEndpoints = async (db: Db, workspaceId: WorkspaceId | null): Promise<HeldMailView[]> =>
  Promise.all((await listWithheldWebhooks(db, 'approval', workspaceId)).map((webhook) => view(db, webhook)));

/** Null where no such endpoint waits within the caller's reach. */
export const findWaitingEndpoint = async (db: Db, caller: PersonCaller, text: string): Promise<Webhook | null> => {
  const id = parseId<'webhook'>(text);
  const webhook = id && (await findWebhookById(db, id));
  return webhook?.withheld === 'approval' && isWithinReach(caller, webhook.workspaceId) ? webhook : null;
};

export const showWaitingEndpoint = async (db: Db, webhook: Webhook) => ({
  ...(await view(db, webhook)),
  headers: webhook.headerNames.map((name) => ({ name, value: '(not shown)' })),
  digest: digest(webhook),
  text: [webhook.url, await describe(db, webhook), ...(webhook.template ? [webhook.template] : [])].join('\n\n'),
  from: null,
  size: null,
  html_text: null,
  diff: null,
  answers: null,
});

/**
 * Enables an endpoint, or deletes it.
 * @param seen the digest that it was shown with; undefined: as it is
 * @throws ApiError held_mail_changed
 */
export const decideEndpoint = async (
  events: Events,
  tx: Tx,
  webhook: Webhook,
  { isAllowed, by, note, seen }: { isAllowed: boolean; by: string; note: string | null; seen?: string | undefined },
  decidedAt: string,
): Promise<HeldMailView> => {
  if (seen !== undefined && seen !== digest(webhook)) throw new ApiError('held_mail_changed');
  const shown = await view(tx.db, webhook);
  const maker = webhook.madeBy && (await findAgentById(tx.db, webhook.madeBy));
  if (isAllowed) await setWithheld(tx, webhook.id, null);
  else await deleteWebhook(tx, webhook.id);
  // That of a suspended agent still pauses.
  if (maker) await followAgentState(tx, maker);
  await announceDecided(events, tx, webhook, maker?.mailboxId ?? null, { isAllowed, note });
  const status = isAllowed ? 'approved' : 'rejected';
  return { ...shown, status, decision_note: note, decided_by: by, decided_at: decidedAt };
};
