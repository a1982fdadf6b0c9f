/**
 * A send that is held for a person, where the client can open a page for its user (URL-mode elicitation): it is asked to
 * open the console's page of that mail, where the person signs in and decides. Nothing that a client answers decides.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type InputRequiredResult, inputRequired, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { SECOND } from '../../kernel/clock.ts';
import { parseId } from '../../kernel/ids.ts';
import type { Tool } from './tool.ts';

const heldAnswer = z.object({ status: z.literal('held'), pendingId: z.uuid() });

/** The key of the request in an `input_required` result. */
const APPROVAL = 'approval';
/** As long as any call of a tool lasts at most; then the answer goes without the client's. */
const MAX_WAIT_MS = 45 * SECOND;

const MESSAGE = 'This mail waits for a person. Open the page to read it, and to approve or reject it.';

/** The id of the held mail; null for any other answer. */
export const findHeld = (body: unknown): string | null => heldAnswer.safeParse(body).data?.pendingId ?? null;

/** The held mail that a repeated call is about: what {@link askToDecide} gave the client to bring back. */
export const readDecided = (tool: Tool, { mcpReq }: ServerContext): string | null => {
  if (!tool.bound.operation.statuses?.includes(202)) return null;
  const state: unknown = mcpReq.requestState();
  return typeof state === 'string' ? parseId(state) : null;
};

/** @returns what the client is answered in place of the result; null: the result */
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
  // Upon the call's own stream: there is no other to this client.
  const params = { mode: 'url', message: MESSAGE, url, elicitationId: pendingId };
  const asked = mcpReq.send({ method: 'elicitation/create', params }).catch(() => undefined);
  await Promise.race([
    asked,
    delay(MAX_WAIT_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined),
  ]);
  ended.abort();
  return null;
};
