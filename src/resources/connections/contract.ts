/** Connections: the OAuth clients to which owners gave access to agents. Owners and the operator list and end them. */

import { z } from 'zod';
import { OFFLINE_ACCESS, REACHES, SCOPES } from '../../kernel/caller.ts';
import { idOutput, pathId, timeOutput } from '../../kernel/fields.ts';
import { personOperation } from '../../kernel/operation.ts';

/** Endpoints made by the ended connections, which ended with them. */
const endedWebhooks = z.array(z.object({ id: idOutput, url: z.string() }));

/** Scheduled mail of a key or connection, which is cancelled with it. */
export const endedScheduled = z.array(
  z.object({ scheduled_id: idOutput, subject: z.string(), to: z.array(z.string()), send_at: timeOutput }),
);

/** Grants and endpoints that ended because an owner lost access. */
export const endedShape = z
  .object({
    connections: z.array(z.object({ id: idOutput, client_name: z.string() })),
    webhooks: endedWebhooks,
    scheduled: endedScheduled,
  })
  .describe('Connections that were for nothing else, and what connections had made: webhook endpoints, scheduled mail');

export const connectionShape = z.object({
  id: idOutput,
  /** The client's own name for itself, unverified. */
  client_name: z.string(),
  client_id: z.string(),
  redirect_host: z.string(),
  /** The owner who consented. */
  owner: z.string(),
  scopes: z.array(z.enum([...SCOPES, OFFLINE_ACCESS])).describe('As the token answer has them'),
  reach: z.enum(REACHES),
  offline: z.boolean().describe('Whether it stays connected while the owner is away'),
  agents: z.array(z.string()).nullable().describe('Handles; null: every agent of the owner'),
  created_at: timeOutput,
  last_used_at: timeOutput.nullable(),
  expires_at: timeOutput.describe('When it ends unless it is used'),
});

export const connectionsContract = {
  /** Lists the applications that may use agents of workspaces by OAuth, newest first. */
  list: personOperation({
    workspace: 'optional',
    output: z.object({ connections: z.array(connectionShape) }),
  }),
  /**
   * Cuts off an application at once: its tokens end, what it has open, and what it made: webhook endpoints, scheduled
   * mail.
   */
  revoke: personOperation({
    activity: 'connection.revoke',
    input: z.strictObject({ connection_id: pathId<'grant'>('connection_not_found') }),
    output: z.object({ id: idOutput, revoked: z.literal(true), webhooks: endedWebhooks, scheduled: endedScheduled }),
  }),
};
