/** Counts what is in use by each party that has a share: its network, its workspace, its key. */

import { PARTIES, type Party, type QuotaSubject, type Shares } from './quota-subject.ts';

export interface PartyCount {
  readonly party: Party;
  readonly share: number;
  readonly used: number;
}

export interface PartyCounts {
  /** The counts that a quota subject is charged to in addition to the total. */
  of(quotaSubject: QuotaSubject): PartyCount[];
  change(quotaSubject: QuotaSubject, by: number): void;
}

export const createPartyCounts = (shares: Shares): PartyCounts => {
  const used = new Map<string, number>();
  const listNames = (quotaSubject: QuotaSubject) =>
    PARTIES.flatMap((party) => {
      const [id, share] = [quotaSubject[party], shares[party]];
      if (id === undefined || share === undefined || quotaSubject.isExempt) return [];
      return [{ party, share, name: `${party} ${id}` }];
    });
  return {
    of: (quotaSubject) =>
      listNames(quotaSubject).map(({ name, ...count }) => ({ ...count, used: used.get(name) ?? 0 })),
    change: (quotaSubject, by) => {
      for (const { name } of listNames(quotaSubject)) {
        const left = (used.get(name) ?? 0) + by;
        if (left > 0) used.set(name, left);
        else used.delete(name);
      }
    },
  };
};
