/** Gives a fresh lookup the form of node:dns, which mailauth takes. */

import type { FreshLookup, FreshType } from './fresh-lookup.ts';

type NodeResolve = (name: string, type: string) => Promise<string[] | string[][] | object[]>;

const TYPES: readonly string[] = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT'] satisfies FreshType[];

const noRecord = (code: string): Error => Object.assign(new Error(code), { code });

/** The lookup does not know every type: of others (PTR) there are no records. */
export const toDnsResolve =
  (lookup: FreshLookup): NodeResolve =>
  async (name, type) => {
    if (!TYPES.includes(type)) throw noRecord('ENODATA');
    const answer = await lookup(name, type as FreshType);
    if (answer.kind === 'failed') throw noRecord('ESERVFAIL');
    if (answer.values.length === 0) throw noRecord('ENODATA');
    return type === 'TXT' ? answer.values.map((value) => [String(value)]) : ([...answer.values] as object[]);
  };
