/** The `webhooks` of the document: the request for each event of the catalogue. */

import { z } from 'zod';
import { EVENTS } from '../../../kernel/events.ts';
import { type Json, referTo } from './schemas.ts';

/** `message.received`: `MessageReceivedEvent`. */
const toSchemaName = (event: string): string =>
  `${event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The envelope of each event, by its schema. */
export const eventSchemas: ReadonlyMap<z.ZodType, string> = new Map(
  Object.entries(EVENTS).map(([event, { data }]) => [
    z.object({
      id: z.string().describe('The delivery’s id, stable across retries'),
      event: z.literal(event),
      timestamp: z.iso.datetime(),
      data,
    }),
    toSchemaName(event),
  ]),
);

const HEADERS: readonly (readonly [name: string, description: string])[] = [
  ['x-svc-event', 'The event’s name.'],
  ['x-svc-delivery-id', 'The envelope’s id.'],
  ['x-svc-signature', '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`; one `v1` for each valid secret.'],
  ['x-webhook-signature-v2', 'The bare digest, by the newest secret.'],
  ['x-webhook-timestamp', 'Unix seconds at which the signature was made.'],
  ['webhook-id', 'The same id, for Standard Webhooks.'],
  ['webhook-timestamp', 'The same time, for Standard Webhooks.'],
  ['webhook-signature', 'The signature of Standard Webhooks.'],
];

export const describeWebhooks = (): Json =>
  Object.fromEntries(
    Object.entries(EVENTS).map(([event, { when, sample }]) => [
      event,
      {
        post: {
          operationId: `on_${event.replace('.', '_')}`,
          summary: `\`${event}\``,
          description: `Fires when ${when}.`,
          tags: ['webhooks'],
          // The request is signed and needs no credentials.
          security: [],
          parameters: HEADERS.map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: referTo(toSchemaName(event)),
                example: {
                  id: 'evt_2vQmB7dWn0aLkR4tYx8ZpC1s',
                  event,
                  timestamp: '2026-11-21T12:00:00.000Z',
                  data: sample,
                },
              },
            },
          },
          responses: {
            '2XX': { description: 'Taken. Anything else, or no answer within 10 seconds, is tried again.' },
            410: { description: 'The endpoint is turned off at once.' },
          },
        },
      },
    ]),
  );
