/** What a person is told while away: by push in this browser, by mail, by a digest. Acts of its own. */

import { z } from 'zod';
import { timeOutput } from '../../../kernel/fields.ts';
import { personOperation, SESSION } from '../../../kernel/operation.ts';

const ZONE = /^[A-Za-z][\w+-]*(?:\/[\w+-]+){0,3}$/;

const isZone = (text: string): boolean => {
  try {
    return ZONE.test(text) && new Intl.DateTimeFormat('en', { timeZone: text }).format(0) !== '';
  } catch {
    return false;
  }
};

const digestShape = z.strictObject({
  every: z.enum(['off', 'daily', 'weekly']).describe('weekly: on Monday'),
  hour: z.int().min(0).max(23),
  zone: z.string().max(64).refine(isZone, 'The name of a time zone, as Europe/Berlin').describe('The hour is of it'),
});

const kinds = z.object({
  held: z.boolean().describe('A mail waits for a decision'),
  needs: z
    .boolean()
    .describe(
      'Else what needs the person. By mail: sending that rates paused, a domain that fails, an endpoint that is off',
    ),
});
const someKinds = z.strictObject(kinds.shape).partial();

const toldShape = z.object({
  push: z.object({
    public_key: z.string().nullable().describe("What a browser subscribes with; null without the vault's key"),
    here: kinds.nullable().describe('Of the session that asks; null: it has no subscription'),
  }),
  mail: kinds,
  digest: z.object({ ...digestShape.shape, next_at: timeOutput.nullable() }),
});
export type ToldView = z.infer<typeof toldShape>;

export const toldContract = {
  /** What the person is told while away, and whether this browser is told by push. */
  get: personOperation({
    audience: SESSION,
    output: toldShape,
  }),
  /** Chooses what the person is told by mail, by push in this browser, and by a digest. */
  set: personOperation({
    activity: 'told.set',
    audience: SESSION,
    input: z.strictObject({
      push: someKinds.optional(),
      mail: someKinds.optional(),
      digest: digestShape.optional(),
    }),
    output: toldShape,
  }),
  /**
   * Keeps the push subscription of this browser, as its toJSON() gives it, in place of the one that its session has.
   */
  subscribe: personOperation({
    activity: 'push.add',
    audience: SESSION,
    input: z.strictObject({
      endpoint: z.string().max(2048),
      expirationTime: z.number().nullish(),
      keys: z.strictObject({ p256dh: z.base64url().max(100), auth: z.base64url().max(30) }),
    }),
    output: toldShape,
  }),
  /** Tells this browser nothing by push any more. */
  unsubscribe: personOperation({
    activity: 'push.remove',
    audience: SESSION,
    output: toldShape,
  }),
  /** Sends this browser a push at once, up to 20 in an hour. */
  test: personOperation({
    audience: SESSION,
    output: z.object({
      delivered: z.boolean().describe('Whether the push service has taken it'),
      reason: z.string().nullable(),
    }),
  }),
};
