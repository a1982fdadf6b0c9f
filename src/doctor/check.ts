/** The input of a check of the installation. */

import type { Config } from '../config/config.ts';
import type { Smarthost } from '../config/config-values.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Resolver } from '../net/dns/resolver.ts';
import type { FileVerdict, ServerState } from '../store/data-files.ts';
import type { VaultState } from './check-data.ts';
import type { Finding } from './finding.ts';

/** The findings about a domain's records. */
export interface ExaminedDomain {
  name: string;
  /** Whether every required record exists. */
  isComplete: boolean;
  /** False where no DNS server answered at all. */
  isConclusive: boolean;
  /** Whether its workspace is from a signup. */
  isGuest: boolean;
  /** The necessary changes, as sentences. */
  hints: string[];
}

export interface ExaminedEmbeddings {
  /** The endpoint's fault, which limits searches to words; null: none. */
  fault: string | null;
  /** Passages that wait for a vector, up to `most`. */
  waiting: number;
  most: number;
}

export interface DoctorNeeds {
  config: Config;
  /** The reason for which the host's last certificate order failed; null: none. */
  orderFault: string | null;
  /** The path of the config that was read. */
  configPath: string;
  /** Faults of the config; the rest is examined with defaults for these keys. */
  configFaults: readonly string[];
  /** Valid config values that are probably mistakes. */
  configWarnings: readonly { key: string; text: string }[];
  /** Why the plans' file cannot be used; null: it can. */
  plansFault: string | null;
  /** Why the data cannot be opened; null: it can. */
  dataFault: string | null;
  /** Why the vault's key file cannot be used, and counts as missing; null: it can, or is missing. */
  keyFault: string | null;
  now: Millis;
  /** Null where the data file cannot be read. */
  schema: FileVerdict['schema'] | null;
  /** Null where the data cannot be opened. */
  vaultState: VaultState | null;
  /** Whether a daemon works on this data. */
  isServing: boolean;
  /** The time at which the queue's next delivery is due; null: none. */
  nextDueAt: Millis | null;
  /** When the newest backup of the nightly timer was written; null: there is none, or the data is in a server. */
  lastNightlyAt: Millis | null;
  resolver: Resolver;
  /** @returns null where the host accepts a connection, else the reason */
  connect: (host: string, port: number) => Promise<string | null>;
  /** @returns null where the smarthost accepts the sign-in, else the failed step */
  signIn: (smarthost: Smarthost) => Promise<string | null>;
  /** Addresses of this machine's own interfaces. */
  ownAddresses: readonly string[];
  /** Addresses that mail to other hosts leaves by. */
  sourceAddresses: readonly string[];
  freeSpace: (path: string) => Promise<{ free: number; total: number }>;
  /** By how much this clock is ahead of another one; null where none is reached. */
  clockOffset: () => Promise<Millis | null>;
  examineDomains: () => Promise<ExaminedDomain[]>;
  /** Null where the data is in a file. */
  examineServer: () => Promise<ServerState | null>;
  /** Null where no endpoint for embeddings is configured. */
  examineEmbeddings: () => Promise<ExaminedEmbeddings | null>;
}

export type Check = (needs: DoctorNeeds) => Promise<Finding[]>;
