/** A check of the installation: what it is given. */

import type { Config } from '../config/config.ts';
import type { Smarthost } from '../config/config-values.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Resolver } from '../net/dns/resolver.ts';
import type { FileVerdict } from '../store/data-files.ts';
import type { VaultState } from './check-data.ts';
import type { Finding } from './finding.ts';

/** What a domain's records were found to be. */
export interface ExaminedDomain {
  name: string;
  /** Whether every required record is there. */
  isComplete: boolean;
  /** False where no DNS server answered at all. */
  isConclusive: boolean;
  /** Of a workspace that signed up. */
  isGuest: boolean;
  /** What is to be changed, in words. */
  hints: string[];
}

export interface ExaminedEmbeddings {
  /** Why searches go by words alone; null: the endpoint answers as it should. */
  fault: string | null;
  /** Passages that wait for a vector, up to `most`. */
  waiting: number;
  most: number;
}

export interface DoctorNeeds {
  config: Config;
  /** Why the host's certificate was not issued at the last attempt; null: it was, or none was made. */
  orderFault: string | null;
  /** From which the config was read. */
  configPath: string;
  /** What is wrong with the config; the rest is examined with the defaults of these keys. */
  configFaults: readonly string[];
  /** What the config says that is valid and hardly meant. */
  configDoubts: readonly { key: string; text: string }[];
  /** Why the plans' file cannot be used; null: it can. */
  plansFault: string | null;
  /** Why the data cannot be opened; null: it can. */
  dataFault: string | null;
  /** Why the vault's key file cannot be used; null: it can, or is missing. */
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
  resolver: Resolver;
  /** @returns null where the host accepts a connection, else why not */
  connect: (host: string, port: number) => Promise<string | null>;
  /** @returns null where the smarthost takes a session with its sign-in, else what failed */
  signIn: (smarthost: Smarthost) => Promise<string | null>;
  /** Addresses of this machine's own interfaces. */
  ownAddresses: readonly string[];
  freeSpace: (path: string) => Promise<{ free: number; total: number }>;
  /** By how much this clock is ahead of another one; null where none is reached. */
  clockOffset: () => Promise<Millis | null>;
  examineDomains: () => Promise<ExaminedDomain[]>;
  /** Null where no endpoint for embeddings is configured. */
  examineEmbeddings: () => Promise<ExaminedEmbeddings | null>;
}

export type Check = (needs: DoctorNeeds) => Promise<Finding[]>;
