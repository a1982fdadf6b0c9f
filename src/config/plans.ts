/** The plans file: sending limits and reputation thresholds of workspaces. `config/plans.toml` has the defaults. */

import { parse } from 'smol-toml';
import { z } from 'zod';

const count = z.int().min(0);
const share = z.number().gt(0).max(1);
const usd = z.number().min(0);

const planSchema = z.strictObject({
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
  /** Of all sources of the knowledge base together. */
  knowledge_pages: count.optional(),
  velocity_floor: count,
  duplicate_recipients: count,
});

const plansSchema = z
  .object({
    rates: z.strictObject({
      minimum_recipients: count,
      minimum_mails: count.default(50),
      throttle_bounces: share,
      throttle_complaints: share,
      throttle_complaints_minimum: count,
      pause_bounces: share,
      pause_complaints: share,
      pause_complaints_minimum: count,
    }),
    probation: z.strictObject({ cold_sends_per_day: count, days_without_bounce: count }),
  })
  .catchall(planSchema);

export type Plan = z.infer<typeof planSchema>;

export interface Plans {
  named: ReadonlyMap<string, Plan>;
  rates: z.infer<typeof plansSchema>['rates'];
  probation: z.infer<typeof plansSchema>['probation'];
}

/** The plans that the code assigns itself; a file without one of them is invalid. */
const REQUIRED = ['free', 'pro', 'unlimited'];

/** An invalid plans file, reported like a config error. */
export class PlansError extends Error {
  override readonly name = 'PlansError';
}

const readToml = (toml: string, where: string): unknown => {
  try {
    return parse(toml);
  } catch (cause) {
    throw new PlansError(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
};

/** @throws PlansError with every problem, one a line, for an invalid file */
export const parsePlans = (toml: string, where: string): Plans => {
  const parsed = plansSchema.safeParse(readToml(toml, where));
  if (!parsed.success) throw new PlansError(`${where}: ${z.prettifyError(parsed.error)}`);
  const { rates, probation, ...named } = parsed.data;
  const missing = REQUIRED.filter((name) => !Object.hasOwn(named, name));
  if (missing.length > 0) throw new PlansError(`${where}: no plan ${missing.join(', ')}`);
  return { named: new Map(Object.entries(named as Record<string, Plan>)), rates, probation };
};

/** Returns a workspace's plan; an unknown name counts as the smallest plan. */
export const findPlan = ({ named }: Plans, name: string): Plan => {
  const plan = named.get(name) ?? named.get('free');
  if (!plan) throw new Error('The plans file has no plan `free`.');
  return plan;
};
