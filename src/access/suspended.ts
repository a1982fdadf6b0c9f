/** Limits what a suspended agent's keys may do. */

import type { AgentCaller } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import { isRouted, type Operation } from '../kernel/operation.ts';

const isRead = (operation: Operation): boolean =>
  operation.tool?.hints?.readOnly ?? (isRouted(operation) && operation.method === 'GET');

/**
 * A suspended agent may read, so that its mail stays in sight. Changes are refused, and so are acts that the activity
 * log records, such as opening a secret. Sends reach the gate, which answers `mailbox_inactive`.
 * @throws ApiError agent_suspended
 */
export const requireActive = (operation: Operation, caller: AgentCaller): void => {
  if (!caller.isSuspended || operation.idempotent || (isRead(operation) && operation.activity === null)) return;
  throw new ApiError('agent_suspended');
};
