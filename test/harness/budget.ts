/** A budget of the config's defaults and some keys of its own, for what stands on it alone. */

import { type Budget, createBudget } from '../../src/budget/budget.ts';
import { createPool, type Pool } from '../../src/budget/budget-pool.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/config-text.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';

export interface TestBudget {
  budget: Budget;
  limits: Config['budget'];
  smtpLimits: Config['smtp']['limits'];
  /** What the log heard. */
  warned: { fields: Record<string, unknown>; message: string }[];
}

/** @param keys of [budget], in TOML; @param memory the machine's, in octets */
export const makeBudget = (
  keys = '',
  clock: Clock = systemClock,
  smtpLimits = '',
  memory = 16 * 1024 ** 3,
): TestBudget => {
  const toml = `hostname = "mx.box.test"\nbase_domain = "agents.box.test"\n[smtp.limits]\n${smtpLimits}\n[budget]\n${keys}`;
  const { budget: limits, smtp } = parseConfig(toml, '/postroom.toml');
  const warned: TestBudget['warned'] = [];
  const log = { warn: (fields: object, message: string) => void warned.push({ fields: { ...fields }, message }) };
  return { budget: createBudget(limits, { clock, log, memory }), limits, smtpLimits: smtp.limits, warned };
};

/** A pool with so many places for each key. */
export const keyPool = (most = Number.POSITIVE_INFINITY): Pool =>
  createPool({
    resource: 'places',
    capacity: Number.POSITIVE_INFINITY,
    shares: { key: most },
    onRefused: () => undefined,
  });
