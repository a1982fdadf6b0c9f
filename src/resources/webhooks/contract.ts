/** Webhook endpoints: the interface's sections 4 and 6. */

import { z } from 'zod';
import { EVENT_NAMES } from '../../kernel/events.ts';
import { idInput, idOutput, limitInput, pathId, timeInput, timeOutput } from '../../kernel/fields.ts';
import { AGENT_AND_OWNER, EVERYONE, field, operation, toolOnly } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { untrustedText } from '../../kernel/tools/untrusted-fields.ts';

export const webhookShape = named(
  'Webhook',
  z.object({
    id: idOutput,
    url: z.string(),
    events: z.array(z.string()),
    mailbox_id: idOutput.nullable(),
    header_names: z.array(z.string()),
    template: z.record(z.string(), z.unknown()).nullable(),
    active: z.boolean(),
    pending_approval: z.boolean().describe('A person has yet to allow it: its agent is held'),
    disabled_reason: z.enum(['paused', 'failures', 'gone']).nullable(),
    failure_count: z.int(),
    created_at: timeOutput,
    updated_at: timeOutput,
  }),
);

const createdShape = webhookShape.extend({ secret: z.string() });
const updatedShape = webhookShape.extend({
  secret: z.string().optional(),
  previous_secret_valid_until: timeOutput.optional(),
});

const personWebhookShape = webhookShape.extend({
  made_by: z
    .string()
    .nullable()
    .describe('Handle of the agent, also of one that was removed; null: an owner, or not recorded'),
  hears_more: z.boolean().describe('Whether it hears more than the mailbox of the agent that made it'),
  deferred_until: timeOutput.nullable().describe('It answered with Retry-After: nothing is sent to it before then'),
});

/** The endpoint's maker: a handle, also of a removed agent. */
const madeBy = z
  .string()
  .nullable()
  .describe('Handle of the agent that made the endpoint; null: a person, or not recorded');

const answered = {
  status_code: z.int().nullable(),
  response_body: untrustedText(z.string().nullable(), 'endpoint'),
  duration_ms: z.int(),
  error: z.string().nullable(),
};

export const attemptShape = named(
  'WebhookAttempt',
  z.object({
    webhook_id: idOutput,
    made_by: madeBy,
    delivery_id: z.string(),
    event: z.string(),
    attempt: z.int(),
    at: timeOutput,
    ...answered,
  }),
);

export const resultShape = named(
  'WebhookResult',
  z.object({
    delivery_id: z.string(),
    made_by: madeBy,
    delivered: z.boolean(),
    ...answered,
  }),
);

/** Characters, as in webhooks/url.ts. */
const MAX_URL = 2_048;
const urlInput = field(
  { missing: 'https_url_required', invalid: 'https_url_required' },
  z.string().max(MAX_URL).describe('Public, and https'),
);
const eventName = z.enum(EVENT_NAMES);
const eventsInput = field(
  { missing: 'events_required', null: 'events_required' },
  z.array(eventName).max(100).describe('One at least'),
);
const mailboxInput = idInput<'mailbox'>().nullable().describe("Only that agent's events; null: the whole workspace's");
const headersInput = z
  .record(z.string(), field({ invalid: 'invalid_header_value' }, z.string()))
  .describe('Sent with each delivery, never shown again');
const templateInput = field(
  { invalid: 'invalid_template' },
  z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The body, with {{event}}, {{timestamp}}, {{id}} and {{data.<field>}} filled in'),
);
const queryId = field({ missing: 'id_required', invalid: 'not_found' }, idInput<'webhook'>());

const webhookId = field({ invalid: 'not_found' }, idInput<'webhook'>());
const deliveryId = field({ invalid: 'not_found' }, z.string().min(1).max(200));

const SETTINGS_ERRORS = [
  'holds_a_secret',
  'https_url_required',
  'private_url_not_allowed',
  'credentials_in_url',
  'events_required',
  'too_many_headers',
  'invalid_header_name',
  'reserved_header_name',
  'invalid_header_value',
  'invalid_template',
  'template_too_large',
  'vault_unavailable',
] as const;

/**
 * An endpoint receives what `mail:read` reads; each of these operations starts or ends that flow out of the instance.
 */
const WRITE_SCOPES = ['mail:read', 'mail:send'] as const;

export const webhooksContract = {
  list: operation({
    name: 'list_webhooks',
    audience: EVERYONE,
    persons: { output: z.object({ webhooks: z.array(personWebhookShape) }) },
    route: 'GET /v1/webhooks',
    scope: 'mail:read',
    summary: 'Lists webhook endpoints, without their secrets.',
    output: z.object({ webhooks: z.array(webhookShape) }),
  }),
  create: operation({
    name: 'create_webhook',
    audience: AGENT_AND_OWNER,
    activity: 'webhook.add',
    route: 'POST /v1/webhooks',
    scope: WRITE_SCOPES,
    summary: 'Sends events to a URL, signed with the secret that is shown this once.',
    input: z.strictObject({
      url: urlInput,
      events: eventsInput,
      mailbox_id: mailboxInput.optional(),
      headers: headersInput.optional(),
      template: templateInput.optional(),
      active: z.boolean().optional(),
    }),
    output: createdShape,
    statuses: [201],
    errors: [...SETTINGS_ERRORS, 'webhook_limit_reached'],
    tool: { when: 'to have a program told of events', hints: { openWorld: true } },
  }),
  update: operation({
    name: 'update_webhook',
    audience: AGENT_AND_OWNER,
    activity: 'webhook.update',
    route: 'PATCH /v1/webhooks',
    scope: WRITE_SCOPES,
    summary: 'Changes an endpoint, pauses it or turns it on again, or gives it a new secret.',
    input: z.strictObject({
      id: queryId,
      url: urlInput.optional(),
      events: eventsInput.optional(),
      active: z.boolean().optional().describe('false pauses, and nothing is held meanwhile'),
      mailbox_id: mailboxInput.optional(),
      headers: headersInput.optional(),
      template: templateInput.optional(),
      rotate_secret: z.boolean().optional().describe('The old one signs too for 24 hours'),
    }),
    query: ['id'],
    example: { active: true },
    output: updatedShape,
    errors: ['nothing_to_update', ...SETTINGS_ERRORS],
    // A rotation makes a new secret each time.
    tool: { when: 'with an id that list_webhooks gives', hints: { idempotent: false, openWorld: true } },
  }),
  remove: operation({
    name: 'delete_webhook',
    audience: EVERYONE,
    // For the operator, an id alone identifies the workspace.
    workspace: 'optional',
    persons: {
      input: z.strictObject({ id: pathId<'webhook'>('webhook_not_found') }),
      output: z.object({ id: z.string(), url: z.string(), removed: z.literal(true) }),
    },
    activity: 'webhook.remove',
    route: 'DELETE /v1/webhooks',
    scope: WRITE_SCOPES,
    summary: 'Deletes an endpoint, and what waits for it.',
    input: z.strictObject({ id: queryId }),
    output: z.object({ deleted: z.literal(true) }),
  }),
  deliveries: operation({
    name: 'list_deliveries',
    audience: AGENT_AND_OWNER,
    route: 'GET /v1/webhooks/deliveries',
    scope: 'mail:read',
    summary: 'Lists webhook deliveries, of the last 30 days, newest first.',
    input: z.strictObject({
      webhook_id: webhookId.optional(),
      limit: limitInput(100, 25),
      before: timeInput.optional().describe('`at` of the last row of the page before'),
    }),
    output: z.object({ deliveries: z.array(attemptShape) }),
  }),
  test: operation({
    name: 'test_webhook',
    audience: AGENT_AND_OWNER,
    persons: { input: z.strictObject({ webhook_id: webhookId.optional() }) },
    route: 'POST /v1/webhooks/deliveries',
    scope: WRITE_SCOPES,
    summary: 'Sends a sample event, to an endpoint, or a stored delivery again; the reply is all that comes of it.',
    input: z.strictObject({
      webhook_id: webhookId.optional(),
      delivery_id: deliveryId.optional(),
    }),
    example: { webhook_id: '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40' },
    output: resultShape,
    tool: {
      when: 'to see whether an endpoint takes events',
      returns: 'what the endpoint answered',
      hints: { openWorld: true },
      without: ['delivery_id'],
    },
  }),
  /** REST has one operation for a redelivery and a test; as tools they are two. */
  replay: toolOnly({
    name: 'replay_delivery',
    audience: AGENT_AND_OWNER,
    scope: WRITE_SCOPES,
    summary: 'Sends a webhook delivery again, as it is stored, byte for byte; nothing is queued or retried.',
    input: z.strictObject({ delivery_id: deliveryId }),
    output: resultShape,
    tool: {
      when: 'with a delivery_id that list_deliveries gives',
      returns: 'what the endpoint answered',
      hints: { openWorld: true },
    },
  }),
};

export type DeliveryResult = z.infer<typeof resultShape>;
