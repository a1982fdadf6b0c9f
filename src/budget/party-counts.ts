/** Counts what is in use by each party that has a share: its network, its workspace, its key. */

import { type Occupant, PARTIES, type Party, type Shares } from './occupant.ts';

export interface PartyCount {
  readonly party: Party;
  readonly share: number;
  readonly used: number;
}

export interface PartyCounts {
  /** The counts that an occupant is charged to in addition to the total. */
  of(occupant: Occupant): PartyCount[];
  change(occupant: Occupant, by: number): void;
}

export const createPartyCounts = (shares: Shares): PartyCounts => {
  const used = new Map<string, number>();
  const listNames = (occupant: Occupant) =>
    PARTIES.flatMap((party) => {
      const [id, share] = [occupant[party], shares[party]];
      if (id === undefined || share === undefined || occupant.isExempt) return [];
      return [{ party, share, name: `${party} ${id}` }];
    });
  return {
    of: (occupant) => listNames(occupant).map(({ name, ...count }) => ({ ...count, used: used.get(name) ?? 0 })),
    change: (occupant, by) => {
      for (const { name } of listNames(occupant)) {
        const left = (used.get(name) ?? 0) + by;
        if (left > 0) used.set(name, left);
        else used.delete(name);
      }
    },
  };
};
