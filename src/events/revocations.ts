/**
 * Ends the streams, waits and sessions of a revoked or expired key, or of a key without its agent. Those of an OAuth
 * grant end for each agent, once the grant ends or no longer reaches that agent. Another process may cause either, so
 * all open holders are polled.
 */

import type { AgentCaller } from '../kernel/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import type { GrantId } from '../kernel/ids.ts';
import { listLiveKeys } from '../store/accounts/api-keys.ts';
import { listLiveUses } from '../store/oauth/oauth-grants.ts';
import type { Db } from '../store/store.ts';

/** A caller's credential, with its agent. */
export type Holder = Pick<AgentCaller, 'keyId' | 'agentId' | 'byGrant'>;

export interface Revocations {
  /** @returns a function that ends the subscription */
  onEnd(holder: Holder, listener: () => void): () => void;
  /** Checked before results that arrived after the authentication are returned. */
  isLive(holder: Holder): Promise<boolean>;
  /** Calls the listeners of ended holders. */
  poll(): Promise<void>;
}

/** Holders of one query. */
const BATCH = 250;

const nameUse = (grantId: GrantId, agentId: string): string => `${grantId} ${agentId}`;
const nameOf = ({ keyId, agentId, byGrant }: Holder): string =>
  byGrant === undefined ? keyId : nameUse(byGrant, agentId);

export const createRevocations = (read: Db, clock: Clock): Revocations => {
  const open = new Map<string, { holder: Holder; listeners: Set<() => void> }>();
  /** @returns the names of the live holders */
  const listLive = async (holders: readonly Holder[]): Promise<Set<string>> => {
    const keys = holders.flatMap(({ keyId, byGrant }) => (byGrant === undefined ? [keyId] : []));
    const uses = holders.flatMap(({ agentId, byGrant }) =>
      byGrant === undefined ? [] : [{ grantId: byGrant, agentId }],
    );
    const now = clock.now();
    return new Set([
      ...(keys.length === 0 ? [] : await listLiveKeys(read, keys, now)),
      ...(uses.length === 0 ? [] : await listLiveUses(read, uses, now)).map((use) => nameUse(use.grantId, use.agentId)),
    ]);
  };
  return {
    onEnd: (holder, listener) => {
      const name = nameOf(holder);
      const { listeners } = open.get(name) ?? { listeners: new Set() };
      open.set(name, { holder, listeners: listeners.add(listener) });
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && open.get(name)?.listeners === listeners) open.delete(name);
      };
    },
    isLive: async (holder) => (await listLive([holder])).size > 0,
    poll: async () => {
      const all = [...open];
      for (let at = 0; at < all.length; at += BATCH) {
        const batch = all.slice(at, at + BATCH);
        const live = await listLive(batch.map(([, { holder }]) => holder));
        for (const [name, { listeners }] of batch) if (!live.has(name)) for (const end of [...listeners]) end();
      }
    },
  };
};
