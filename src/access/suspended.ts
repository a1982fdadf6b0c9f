/** What a suspended agent's keys may still do. */

import type { AgentCaller } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import { isRouted, type Operation } from '../kernel/operation.ts';

const isRead = (operation: Operation): boolean =>
  operation.tool?.hints?.readOnly ?? (isRouted(operation) && operation.method === 'GET');

/**
 * It reads, so that whoever looks after it sees its mail: nothing is changed, and nothing that the activity log records, as
 * the opening of a secret, is done. Sends are let through to the gate, which answers `mailbox_inactive`.
 * @throws ApiError agent_suspended
 */
export const requireActive = (operation: Operation, caller: AgentCaller): void => {
  if (!caller.isSuspended || operation.idempotent || (isRead(operation) && operation.activity === null)) return;
  throw new ApiError('agent_suspended');
};
