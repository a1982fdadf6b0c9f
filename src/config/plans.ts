/** The plans file: sending limits and reputation thresholds of workspaces. `config/plans.toml` has the defaults. */

import { z } from 'zod';
import { ConfigError, parseToml } from './config-text.ts';

const COUNT = 'a whole number, 0 or more';
const count = z.int(COUNT).min(0, COUNT);
/** A key without value means no limit. */
const countOrNoLimit = count.default(Number.POSITIVE_INFINITY);
const SHARE = 'a share, above 0 and up to 1';
const share = z.number(SHARE).gt(0, SHARE).max(1, SHARE);
const USD = 'an amount in USD, 0 or more';
const usd = z.number(USD).min(0, USD);

const planSchema = z.strictObject(
  {
    sends_per_day: count.optional(),
    sends_per_month: count.optional(),
    /** Left out: sends beyond the month's quota are refused. */
    overage_usd: usd.optional(),
    spend_cap_usd: usd.optional(),
    inboxes: count.optional(),
    /** A month, for each inbox beyond those included. Left out: a further inbox is refused. */
    extra_inbox_usd: usd.optional(),
    custom_domains: count.optional(),
    webhook_endpoints: count.optional(),
    /** Pages of all sources of the knowledge base together. */
    knowledge_pages: count.optional(),
    /** Bytes of mail that is kept, in and out, of all mailboxes together, as it is stored: compressed, with its rows. */
    mail_bytes: count.optional(),
    velocity_floor: countOrNoLimit,
    duplicate_recipients: countOrNoLimit,
  },
  'a table of limits',
);

const plansSchema = z
  .object(
    {
      rates: z.strictObject(
        {
          minimum_recipients: count,
          minimum_mails: count.default(50),
          throttle_bounces: share,
          throttle_complaints: share,
          throttle_complaints_minimum: count,
          pause_bounces: share,
          pause_complaints: share,
          pause_complaints_minimum: count,
        },
        'a table',
      ),
      probation: z.strictObject({ cold_sends_per_day: count, days_without_bounce: count }, 'a table'),
    },
    'tables of plans',
  )
  .catchall(planSchema);

export type Plan = z.infer<typeof planSchema>;

export interface Plans {
  named: ReadonlyMap<string, Plan>;
  rates: z.infer<typeof plansSchema>['rates'];
  probation: z.infer<typeof plansSchema>['probation'];
}

/** The plans that the code assigns itself; a file without one of them is invalid. */
const REQUIRED = ['free', 'pro', 'unlimited'];

/** The keys of [rates], of [probation], and of a plan under any other name. */
const keysOf = ([table, ...rest]: readonly PropertyKey[]): string[] | null => {
  if (table === undefined || rest.length > 0) return null;
  const { rates, probation } = plansSchema.shape;
  return Object.keys((table === 'rates' ? rates : table === 'probation' ? probation : planSchema).shape);
};

/** @throws {ConfigError} with every problem, by key and line */
export const parsePlans = (toml: string, where: string): Plans => {
  const { rates, probation, ...named } = parseToml(toml, where, plansSchema, keysOf);
  const missing = REQUIRED.filter((name) => !Object.hasOwn(named, name));
  if (missing.length > 0) {
    throw new ConfigError(
      where,
      missing.map((key) => ({
        key,
        line: 0,
        expected: 'is missing; it should be a table of limits, which may be empty',
      })),
    );
  }
  return { named: new Map(Object.entries(named as Record<string, Plan>)), rates, probation };
};

/** Returns a workspace's plan; an unknown name counts as the smallest plan. */
export const findPlan = ({ named }: Plans, name: string): Plan => {
  const plan = named.get(name) ?? named.get('free');
  if (!plan) throw new Error('The plans file has no plan `free`.');
  return plan;
};
