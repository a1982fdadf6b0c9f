/** A webhook endpoint, and its form's text. */

import type { SentEventName } from '../../kernel/events.ts';
import type { Answer } from '../api/client.ts';
import type { MarkName } from '../components/marks.tsx';

export type Webhook = Answer<'webhooks', 'list'>['webhooks'][number];

const LISTED: Readonly<Record<SentEventName, string>> = {
  'message.received': 'mail came in',
  'message.filtered': 'mail was filtered',
  'message.sent': 'mail left an agent',
  'message.delivered': 'a recipient’s host took it',
  'message.bounced': 'it came back',
  'message.complained': 'a recipient complained',
  'approval.requested': 'something waits for an owner',
  'approval.approved': 'an owner approved',
  'approval.failed': 'approved, and refused by a check',
  'approval.rejected': 'an owner rejected',
  'approval.expired': 'nobody decided in time',
  'scheduled.cancelled': 'booked mail ended with its key',
  'agent.claimed': 'a person claimed the workspace',
  'domain.verified': 'a domain is verified',
  'workspace.throttled': 'sending is slowed',
  'workspace.paused': 'sending is stopped',
  'workspace.resumed': 'sending goes on',
};

/** Every event, with its description. */
export const EVENTS = Object.entries(LISTED) as [SentEventName, string][];

export const stateOf = ({
  active,
  pending_approval,
  disabled_reason,
  failure_count,
}: Webhook): readonly [MarkName, string] => {
  if (active) return failure_count > 0 ? ['warn', 'failing'] : ['ok', 'on'];
  if (pending_approval) return ['wait', 'waits for you'];
  if (disabled_reason === 'paused') return ['off', 'paused'];
  return ['bad', disabled_reason === 'gone' ? 'gone' : 'off'];
};
