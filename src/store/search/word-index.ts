/** The engine's index of small texts: contacts and notes. */

export type WordTable = 'contact_terms' | 'note_terms';

export interface Wanted {
  readonly term: string;
  /** Whether the term is the beginning of one. */
  readonly isBeginning: boolean;
}

/** A term begins with its workspace, so a search meets no other workspace's rows. */
export interface WordIndex {
  /** Replaces the terms of rows. */
  put(table: WordTable, rows: readonly { readonly seq: number; readonly terms: readonly string[] }[]): Promise<void>;
  /** The first term in the order of UTF-8 that is no less than `from`; null: there is none. */
  findTerm(table: WordTable, from: string): Promise<string | null>;
  /** Rows with one term of each group and none of `without`, the newest first. */
  findRows(
    table: WordTable,
    wanted: { readonly groups: readonly (readonly Wanted[])[]; readonly without: readonly Wanted[] },
    below: number,
    limit: number,
  ): Promise<number[]>;
  /** How many rows have one of the terms, up to `most`. */
  countRows(table: WordTable, group: readonly Wanted[], most: number): Promise<number>;
}
