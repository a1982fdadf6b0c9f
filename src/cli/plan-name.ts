/** A plan, as it is typed. */

import type { Plans } from '../config/plans.ts';
import { wrongUsage } from './failure.ts';

/** @throws {CommandError} wrong usage for a name that the plans file does not have, with those that it has */
export const requirePlan = (text: string, { named }: Plans): string => {
  if (named.has(text)) return text;
  throw wrongUsage(`There is no plan ${text}: it is ${[...named.keys()].join(', ')}.`);
};
