/** What a bench is: it measures within the bounds it is given, and says what it found twice, for people and machines. */

export interface BenchSettings {
  readonly rounds: number;
  /** Mails of a round. */
  readonly messages: number;
  /** SMTP sessions side by side. */
  readonly sessions: number;
  /** No further round begins once this much time has gone. */
  readonly seconds: number;
  /** What a bench has several of, by name: those not named here are left out. Empty: all. */
  readonly only: readonly string[];
  /** Where the daemon's CPU profiles go; null: it runs unprofiled. */
  readonly profile: string | null;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** What is compared from run to run, with what it is to be. */
export interface Figure {
  readonly value: number;
  readonly goal: number;
  /** A time, or a size; left out: higher is better. */
  readonly isLessBetter?: true;
}

export interface BenchReport {
  readonly tables: readonly Table[];
  /** The same as data. */
  readonly document: Readonly<Record<string, unknown>>;
  /** By name; left out: none. */
  readonly figures?: Readonly<Record<string, Figure>>;
}

export interface Bench {
  readonly name: string;
  readonly summary: string;
  /** Ends every process that it started before it settles, also where `signal` ends it early. */
  run(settings: BenchSettings, signal: AbortSignal, say: (text: string) => void): Promise<BenchReport>;
}
