/** The store as the domain sees it: the interface of the engines, sqlite/ and postgres/. */

import type { CompiledQuery, Kysely } from 'kysely';
import type { Millis } from '../kernel/clock.ts';
import type { Transaction } from '../kernel/handlers.ts';
import type { RunId } from '../kernel/ids.ts';
import type { Schema } from './schema.ts';
import type { Search, TextIndex } from './search/full-text-search.ts';
import type { PassageIndex, PassageSearch } from './search/passages/passage-search.ts';

/** What a reading function takes: the store's reader, or a transaction's `db` where it must see its own writes. */
export type Db = Kysely<Schema>;

/** An open transaction. Every writing function takes one, so that no write stands outside of a transaction. */
export interface Tx extends Transaction {
  readonly db: Db;
  readonly textIndex: TextIndex;
  readonly passageIndex: PassageIndex;
  /**
   * Records beside the data that a key, connection or passkey has ended, or all keys of an agent or workspace: a
   * restored older backup then does not accept them again.
   */
  noteRevocation(id: Uint8Array): void;
}

export interface ServingRun {
  runId: RunId;
  /** It takes nothing more. */
  isEnding: boolean;
}

/** The requests of a key in a window of time, as this process draws them. */
export interface DrawnRequests {
  count: number;
  /** For all processes, when it was drawn. */
  left: number;
  resetAt: Millis;
}

/** @param bounds where no window is open, one of that length begins now, with so many requests; `most` are drawn */
export type DrawRequests = (
  key: string,
  bounds: { limit: number; most: number; windowMs: Millis; now: Millis },
) => Promise<DrawnRequests>;

export interface Store {
  /** Short reads, each one index walk. Sees every commit with a resolved promise. */
  readonly read: Db;
  /** This run of the daemon; leases of the data are by it. */
  readonly runId: RunId;
  /** The runs that serve on the data, this one among them. */
  findRuns(): Promise<readonly ServingRun[]>;
  /** Has the others know that this run is ending. */
  endRun(): Promise<void>;
  /** Null: no other process counts requests. */
  readonly drawRequests: DrawRequests | null;
  readonly search: Search;
  readonly searchPassages: PassageSearch;
  /** Why vectors cannot be compared on this machine; null: they can. */
  findVectorFault(): Promise<string | null>;
  /**
   * Runs `work` in a transaction that other units may share, and that nothing else writes beside: what it reads decides what
   * it writes. Resolves after the commit is on disk.
   * `work` awaits queries and nothing else, and may run twice: its other effects belong into `afterCommit`.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Delays commits by up to 5 ms while `isMoreComing`, so that units that follow at once share them. */
  gatherWhile(isMoreComing: () => boolean): void;
  /**
   * Gives a small part of the space of deleted rows back, beside other work.
   * @returns bytes that are still free; null where the data has to be compacted whole first
   */
  releaseSpace(): Promise<number | null>;
  /** Resolves once this daemon leads the others on the data; null: it does, or there are none. */
  readonly led: Promise<void> | null;
  /** Calls it soon after another daemon has committed something, if it tells; each one looks by itself as well. */
  hearOthers(listener: () => void): void;
  /** Resolves after all submitted units have ended; releases the lock. */
  close(): Promise<void>;
}

/** For daemons that share a database: one leads, and does what is done once for all. */
export interface Succession {
  /** Another daemon leads, and the data is of another version: this one waits until it leads itself. */
  onStandBy(): void;
  /** This daemon is to end: nothing is written from here any more. @param why as people read it */
  onLost(why: string): void;
  /** This daemon is to end, so that another leads; the store's close then waits until it does. */
  onHandOver(): void;
}

export interface OpenOptions {
  /** Recorded with the migrations that are applied. */
  now: Millis;
  /** A directory to lock before the data is opened, so that one daemon works on it; left out: none (the CLI). */
  lockIn?: string;
  /** Of a command beside a daemon: whether it pauses between its transactions, which the daemon waits for. */
  givesWay?: boolean | undefined;
  /** Left out, data that another daemon works on is refused. A file is always refused. */
  succession?: Succession;
  /** Called where another daemon leads; rejects where this one could not take over. */
  admit?: (read: Db) => Promise<void>;
  /** `require`: a file of another version is left alone. Left out: it is brought to the code's schema. */
  schema?: 'migrate' | 'require';
  /** Receives errors of background work that is retried, such as the full-text index on a full disk. */
  onFault?: (error: unknown) => void;
  /** For tests: runs every nth unit of work twice, as the contract of {@link Store.write} allows. */
  repeatEvery?: number;
  /** For tests: receives each query before it runs. */
  onQuery?: (query: CompiledQuery) => void;
}
