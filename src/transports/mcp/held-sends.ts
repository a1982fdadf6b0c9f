/**
 * Sends held for a person, for clients that can open a page (URL-mode elicitation): the client is asked to open the
 * console's page of the mail, where the person decides. No answer of a client decides.
 */

import { setTimeout as delay } from 'node:timers/promises';
import {
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Answer } from '../../access/idempotency.ts';
import { SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import type { Tool } from './tools/tool.ts';

const heldAnswer = z.object({ status: z.literal('held'), pendingId: z.uuid() });

/** The key of the request in an `input_required` result. */
const APPROVAL = 'approval';
/** The maximum duration of a tool's call; then the answer does not wait for the client. */
const MAX_WAIT_MS = 45 * SECOND;

const MESSAGE = 'This mail waits for a person. Open the page to read it, and to approve or reject it.';

/** The id of the held mail; null for any other answer. */
export const findHeld = (body: unknown): string | null => heldAnswer.safeParse(body).data?.pendingId ?? null;

/**
 * The held mail of a repeated call, from the state that {@link askToDecide} gave the client. Null for a first call.
 * @throws ProtocolError for an unknown state
 */
export const readDecided = (tool: Tool, { mcpReq }: ServerContext): string | null => {
  if (!tool.bound.operation.statuses?.includes(202)) return null;
  const state: unknown = mcpReq.requestState();
  if (state === undefined) return null;
  const id = typeof state === 'string' ? parseId(state) : null;
  if (id === null) throw noSuchState();
  return id;
};

const noSuchState = (): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState names no held mail of yours. Nothing was sent.');

const outcome = z.object({
  status: z.enum(['pending', 'approved', 'rejected', 'expired']),
  message_id: z.string().nullable(),
  failure_reason: z.string().nullable(),
});

/**
 * The outcome of a held mail, in the form of a send's answer. Shows only the state, because the caller may send but
 * perhaps not read.
 * @param readPending get_pending, as the caller with that scope
 * @throws ProtocolError where the caller has no such mail
 */
export const findOutcome = async (
  pendingId: string,
  readPending: (id: string) => Promise<unknown>,
): Promise<Omit<Answer, 'replayed'>> => {
  const answer = await readPending(pendingId).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'pending_not_found') throw noSuchState();
    throw error;
  });
  const { status, message_id: messageId, failure_reason: failure } = outcome.parse(answer);
  if (status === 'approved' && messageId !== null) return { status: 200, body: { status: 'sent', messageId } };
  if (status === 'approved' && failure !== null) return { status: 422, body: { status: 'rejected', reason: failure } };
  if (status === 'pending' || status === 'approved') return { status: 202, body: { status: 'held', pendingId } };
  return { status: 422, body: { status: 'rejected', reason: `approval_${status}` } };
};

/** @returns the answer that replaces the result; null: the result stands */
export const askToDecide = async (
  server: Server,
  { mcpReq }: ServerContext,
  publicUrl: string,
  pendingId: string,
): Promise<InputRequiredResult | null> => {
  const { elicitation } = server.getClientCapabilities() ?? {};
  if (elicitation?.url === undefined) return null;
  const url = `${publicUrl}/console/approvals/${pendingId}`;
  // Revision 2026-07-28: the client opens the page, and repeats the call with the state.
  if (mcpReq.envelope !== undefined) {
    const approval = inputRequired.elicitUrl({ message: MESSAGE, url });
    return inputRequired({ inputRequests: { [APPROVAL]: approval }, requestState: pendingId });
  }
  const ended = new AbortController();
  // Sent on the call's own stream, because this client has no other.
  const params = { mode: 'url', message: MESSAGE, url, elicitationId: pendingId };
  const asked = mcpReq.send({ method: 'elicitation/create', params }).catch(() => undefined);
  await Promise.race([
    asked,
    delay(MAX_WAIT_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined),
  ]);
  ended.abort();
  return null;
};
