/** The subject of a quota: an unauthenticated client by its network, a caller by its workspace and key. */

export interface QuotaSubject {
  /** An IPv4 address or an IPv6 /64 (net/ip/client-network.ts). */
  readonly network?: string;
  readonly workspace?: string;
  readonly key?: string;
  /** Bound by the total only: trusted networks, proxies, this instance itself. */
  readonly isExempt?: boolean;
}

export const PARTIES = ['network', 'workspace', 'key'] as const;
export type Party = (typeof PARTIES)[number];

/** The maximum per party of each kind; a kind that is left out has no limit of its own. */
export type Shares = Readonly<Partial<Record<Party, number>>>;

/** The quota subject of an authenticated caller; a person's has no key. */
export const toQuotaSubject = (caller: { workspaceId: string; keyId?: string }): QuotaSubject => ({
  workspace: caller.workspaceId,
  ...(caller.keyId !== undefined && { key: caller.keyId }),
});

/** The bound that was met: the total, or a party's own. */
export type Limit = 'all' | Party;

/** Returns the tenant of fair queueing: the workspace, or the network without one. */
export const toTenant = ({ workspace, network }: QuotaSubject): string => {
  if (workspace !== undefined) return `workspace ${workspace}`;
  return network === undefined ? 'instance' : `network ${network}`;
};

/** A limit that is met, the amount in use under it, and its maximum. */
export interface Bound {
  readonly limit: Limit;
  readonly used: number;
  readonly most: number;
}

/** One refusal, for the log. */
export interface Refusal extends Bound {
  readonly resource: string;
  readonly quotaSubject: QuotaSubject;
  readonly asked: number;
}
