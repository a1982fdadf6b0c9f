/** TXT values of ACME dns-01 challenges (RFC 8555 section 8.4), in memory: one lives for minutes. */

import { isWithin, parseDomain } from '../../kernel/address.ts';

/** Values at once, over all names. */
const MAX_VALUES = 200;
/** A TXT record's string. */
const MAX_CHARS = 255;

export type Challenges = ReturnType<typeof createChallenges>;

export const createChallenges = (zone: string) => {
  const values = new Map<string, Set<string>>();
  const keyOf = (name: string): string => name.toLowerCase().replace(/\.$/, '');
  return {
    /** @throws RangeError for a name outside of the zone, an over-long value, or beyond {@link MAX_VALUES} */
    setChallenge: (name: string, value: string): void => {
      const key = keyOf(name);
      const count = [...values.values()].reduce((sum, { size }) => sum + size, 0);
      const isName = key.startsWith('_acme-challenge.') && parseDomain(key.slice(key.indexOf('.') + 1)) !== null;
      if (!isName || !isWithin(key, zone) || value.length > MAX_CHARS || count >= MAX_VALUES) {
        throw new RangeError(`No challenge can be set at ${name}.`);
      }
      values.set(key, (values.get(key) ?? new Set()).add(value));
    },
    removeChallenge: (name: string, value: string): void => {
      const key = keyOf(name);
      const left = values.get(key);
      left?.delete(value);
      if (left?.size === 0) values.delete(key);
    },
    at: (name: string): readonly string[] => [...(values.get(name) ?? [])],
    names: (): Iterable<string> => values.keys(),
  };
};
