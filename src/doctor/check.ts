/** A check of the installation: what it is given. */

import type { Config } from '../config/config.ts';
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
  /** From which the config was read. */
  configPath: string;
  now: Millis;
  schema: FileVerdict['schema'];
  vaultState: VaultState;
  /** Whether a daemon works on this data. */
  isServing: boolean;
  /** The time at which the queue's next delivery is due; null: none. */
  nextDueAt: Millis | null;
  resolver: Resolver;
  /** @returns null where the host accepts a connection, else why not */
  connect: (host: string, port: number) => Promise<string | null>;
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
