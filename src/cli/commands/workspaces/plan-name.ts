import type { Plans } from '../../../config/plans.ts';
import { wrongUsage } from '../../failure.ts';

/** @throws {CommandError} wrong usage for an unknown name, with the known ones */
export const requirePlan = (text: string, { named }: Plans): string => {
  if (named.has(text)) return text;
  throw wrongUsage(`There is no plan ${text}: it is ${[...named.keys()].join(', ')}.`);
};
