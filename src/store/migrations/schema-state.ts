/** How data stands to the code's schema, and what is refused of it; the same for each engine. */

import { migrations as all, type Migration } from '../migrations.ts';
import { SchemaError } from '../store-errors.ts';

/** A row of the table `migrations`. */
export interface Applied {
  readonly name: string;
  /** 0 in rows from before it was recorded: breaking. */
  readonly additive: number;
}

/** Stands among the migrations of a copy (store/copy) until it is whole: no version works with it before. */
export const COPY_MARK = 'unfinished-copy';

export interface SchemaState {
  /** Whether there are no tables yet. */
  readonly isNew: boolean;
  /** Names of migrations that are still to be applied. */
  readonly pending: readonly string[];
  /** Names of a newer version's; `breaking` of those that this code cannot work with. */
  readonly unknown: readonly string[];
  readonly breaking: readonly string[];
}

/** @param applied null: there are no tables */
export const toSchemaState = (
  applied: readonly Applied[] | null,
  migrations: readonly Migration[] = all,
): SchemaState => {
  const names = new Set((applied ?? []).map(({ name }) => name));
  const unknown = (applied ?? []).filter((each) => !migrations.some(({ name }) => name === each.name));
  return {
    isNew: applied === null,
    pending: migrations.map(({ name }) => name).filter((name) => !names.has(name)),
    unknown: unknown.map(({ name }) => name),
    breaking: unknown.filter(({ additive }) => additive === 0).map(({ name }) => name),
  };
};

/** @param data as people call it: `The database` */
const refuse = (data: string, names: readonly string[], otherwise: string): void => {
  if (names.includes(COPY_MARK)) {
    throw new SchemaError(
      `${data} is a copy that is not whole yet. Run \`postroom storage copy\` again: it goes on where it ended.`,
    );
  }
  if (names.length > 0) throw new SchemaError(`${data} ${otherwise}`);
};

/** @throws SchemaError where a newer version made a breaking change */
export const refuseBreaking = (data: string, { breaking }: SchemaState): void =>
  refuse(
    data,
    breaking,
    `was written by a newer version (it has ${breaking.join(', ')}). Run that version, or restore a backup from before it.`,
  );

/** @throws SchemaError for data of an older or a newer version; new data passes */
export const refuseOther = (data: string, { isNew, pending, unknown }: SchemaState): void => {
  refuse(data, unknown, `was written by a newer version (it has ${unknown.join(', ')}). Use that version's commands.`);
  refuse(
    data,
    isNew ? [] : pending,
    `is of an older version (it lacks ${pending.join(', ')}). \`postroom migrate\` brings it up, as a start of the daemon does.`,
  );
};
