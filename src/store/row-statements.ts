/** The statements of rows.ts: their conditions, and one of each shape, compiled once for each connection. */

import { type Compilable, type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Columns, EntityOf, Mapping, StoredValue } from './mapping.ts';
import { PreparedValue, prepare, preparePost } from './prepared-statement.ts';
import type { Db } from './store.ts';

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=' | 'is' | 'is not';

interface ComparisonOptions<V> {
  /** Another one of the same field, which holds as well. */
  and?: Comparison<V> | null;
  isLiteral?: boolean;
  /** Whether it holds of null, too. */
  orNull?: boolean;
}

/** A comparison of a field. */
export class Comparison<V> {
  readonly operator: Operator;
  readonly value: V;
  readonly and: Comparison<V> | null;
  readonly isLiteral: boolean;
  readonly orNull: boolean;

  constructor(
    operator: Operator,
    value: V,
    { and = null, isLiteral = false, orNull = false }: ComparisonOptions<V> = {},
  ) {
    this.operator = operator;
    this.value = value;
    this.and = and;
    this.isLiteral = isLiteral;
    this.orNull = orNull;
  }
}

export type Compared<V> = V extends Uint8Array ? Uint8Array : V;
/** Conditions that all hold: a field equals the value, or is null. */
export type Conditions<C extends Columns> = {
  readonly [K in keyof C]?: Compared<EntityOf<C>[K]> | Comparison<Compared<EntityOf<C>[K]>> | Comparison<null>;
};

export type AnyMapping = Pick<Mapping<string, Columns>, 'table' | 'key' | 'nameOf' | 'toStored'>;
export type AnyTables = Kysely<Record<string, Record<string, unknown>>>;

interface Condition {
  readonly key: string;
  readonly operator: Operator;
  readonly orNull: boolean;
  /** Null where the operator compares with null. */
  readonly stored: StoredValue;
  /** The name of the value among those of a call; null: it stands in the statement. */
  readonly mark: string | null;
}

/** The conditions as they are stored, the values among them, and the text that tells one statement from another. */
export const readConditions = (mapping: AnyMapping, conditions: object) => {
  const where: Condition[] = [];
  const values: Record<string, StoredValue> = {};
  let shape = '';
  for (const [key, given] of Object.entries(conditions)) {
    const first = given instanceof Comparison ? given : new Comparison<unknown>(given === null ? 'is' : '=', given);
    for (const { operator, value, isLiteral, orNull } of first.and ? [first, first.and] : [first]) {
      const stored = value === null ? null : mapping.toStored(key, value);
      const mark = isLiteral || stored === null ? null : `${key} ${operator}`;
      if (mark !== null) values[mark] = stored;
      where.push({ key, operator, orNull, stored, mark });
      shape += `,${key} ${operator}${isLiteral ? ` ${stored}` : ''}${orNull ? ' or null' : ''}`;
    }
  }
  return { where, values, shape };
};

/** The conditions as the builder takes them, with a mark for each value. */
export const toWhere =
  (mapping: AnyMapping, where: readonly Condition[]) =>
  (eb: ExpressionBuilder<Record<string, Record<string, unknown>>, string>) =>
    eb.and(
      where.map(({ key, operator, orNull, stored, mark }) => {
        const name = mapping.nameOf(key);
        const value = mark !== null ? new PreparedValue(mark, stored) : stored === null ? null : sql.lit(stored);
        const compared = eb(name, operator, value);
        return orNull ? eb.or([eb(name, 'is', null), compared]) : compared;
      }),
    );

type Build = (db: AnyTables) => Compilable<unknown>;
interface Statement {
  run: ReturnType<typeof prepare>;
  post: ReturnType<typeof preparePost>;
}
const statements = new WeakMap<AnyMapping, Map<string, Statement>>();

/** The prepared statement of that shape; `build` makes it at its first use. */
export const statementOf = (mapping: AnyMapping, shape: string, build: Build): Statement => {
  let known = statements.get(mapping);
  if (!known) {
    known = new Map();
    statements.set(mapping, known);
  }
  let statement = known.get(shape);
  if (!statement) {
    const ofDb = (db: Db) => build(db as unknown as AnyTables);
    statement = { run: prepare(ofDb), post: preparePost(ofDb) };
    known.set(shape, statement);
  }
  return statement;
};
