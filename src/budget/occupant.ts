/** Who occupies capacity: an outsider by its network, a caller by its workspace and its key. */

export interface Occupant {
  /** An IPv4 address or an IPv6 /64 (net/ip/client-network.ts). */
  readonly network?: string;
  readonly workspace?: string;
  readonly key?: string;
  /** Bound by the capacity as a whole and by no share: trusted networks, proxies, the box itself. */
  readonly isExempt?: boolean;
}

export const PARTIES = ['network', 'workspace', 'key'] as const;
export type Party = (typeof PARTIES)[number];

/** The most that one of each kind may hold; a kind that is left out has no share of its own. */
export type Shares = Readonly<Partial<Record<Party, number>>>;

/** A caller of the interface, as `Caller` names it. */
export const callerOccupant = (caller: { workspaceId: string; keyId: string }): Occupant => ({
  workspace: caller.workspaceId,
  key: caller.keyId,
});

/** Which bound was met: that of everybody together, or a party's own. */
export type Limit = 'all' | Party;

/** Between whom turns alternate: workspaces, and networks where there is no workspace. */
export const ownerOf = ({ workspace, network }: Occupant): string => {
  if (workspace !== undefined) return `workspace ${workspace}`;
  return network === undefined ? 'box' : `network ${network}`;
};

/** One refusal, as the log tells it. */
export interface Refusal {
  readonly resource: string;
  readonly occupant: Occupant;
  readonly limit: Limit;
  readonly asked: number;
  /** What is in use under that limit, and the limit itself. */
  readonly used: number;
  readonly most: number;
}
