/** How TLS with other domains' hosts went, by UTC day, and what has been told them of it: RFC 8460. */

import { sql } from 'kysely';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { Db, Tx } from '../store.ts';

export interface TlsResultCount {
  domain: string;
  /** When the day began. */
  day: Millis;
  /** JSON: which policy it was measured by. */
  policy: string;
  /** '' for sessions that were as they should be; the rest is '' with them. */
  failure: string;
  mxHost: string;
  sendingIp: string;
  receivingIp: string;
  /** Of the first. */
  reason: string;
  sessions: number;
}

/** Of one domain on one day; more is counted without host and addresses. */
const MAX_DETAILED = 100;
/** More than this is not counted: a domain that changes its policy with every session would fill the disk. */
const MAX_ROWS = 200;

/** Adds to what is counted. @param dueAt when the day's report is to be sent */
export const addTlsResult = async (tx: Tx, count: TlsResultCount, dueAt: Millis): Promise<void> => {
  const { domain, day } = count;
  if (await add(tx, count)) return;
  const { rows } = await tx.db
    .selectFrom('tls_results')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('domain', '=', domain)
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  const counted = rows < MAX_DETAILED ? count : { ...count, mxHost: '', sendingIp: '', receivingIp: '' };
  if (counted !== count && ((await add(tx, counted)) || rows >= MAX_ROWS)) return;
  const { mxHost, sendingIp, receivingIp, ...rest } = counted;
  await tx.db
    .insertInto('tls_results')
    .values({ ...rest, mx_host: mxHost, sending_ip: sendingIp, receiving_ip: receivingIp })
    .execute();
  await tx.db
    .insertInto('tls_reports')
    .values({ domain, day, due_at: dueAt, urls: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** @returns whether there was a row to add to */
const add = async (tx: Tx, count: TlsResultCount): Promise<boolean> => {
  const { numUpdatedRows } = await tx.db
    .updateTable('tls_results')
    .set((eb) => ({ sessions: eb('sessions', '+', count.sessions) }))
    .where('domain', '=', count.domain)
    .where('day', '=', count.day)
    .where('policy', '=', count.policy)
    .where('failure', '=', count.failure)
    .where('mx_host', '=', count.mxHost)
    .where('sending_ip', '=', count.sendingIp)
    .where('receiving_ip', '=', count.receivingIp)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

export const listTlsResults = async (db: Db, domain: string, day: Millis): Promise<TlsResultCount[]> => {
  const rows = await db
    .selectFrom('tls_results')
    .selectAll()
    .where('domain', '=', domain)
    .where('day', '=', day)
    .orderBy('policy')
    .orderBy('failure')
    .execute();
  return rows.map(({ mx_host: mxHost, sending_ip: sendingIp, receiving_ip: receivingIp, ...row }) => ({
    ...row,
    mxHost,
    sendingIp,
    receivingIp,
  }));
};

export interface DueTlsReport {
  domain: string;
  day: Millis;
  /** Where it has yet to be posted; null: it is not yet known who wants it. */
  urls: string[] | null;
}

/** The longest due first. */
export const listDueTlsReports = async (db: Db, now: Millis, limit: number): Promise<DueTlsReport[]> => {
  const rows = await db
    .selectFrom('tls_reports')
    .select(['domain', 'day', 'urls'])
    .where('due_at', 'is not', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(sql.lit(limit))
    .execute();
  return rows.map((row) => ({ ...row, urls: row.urls === null ? null : (JSON.parse(row.urls) as string[]) }));
};

/** @param dueAt null: nothing more is to be done for it */
export const settleTlsReport = async (
  tx: Tx,
  { domain, day, urls }: DueTlsReport,
  dueAt: Millis | null,
): Promise<void> => {
  await tx.db
    .updateTable('tls_reports')
    .set({ due_at: dueAt, urls: urls && JSON.stringify(urls) })
    .where('domain', '=', domain)
    .where('day', '=', day)
    .execute();
};

/**
 * Counts a report to an address of another organisation than the domain that asks for it.
 * @returns how many went to it on the UTC day of `now`, this one included
 */
export const countForeignReport = async (tx: Tx, address: string, now: Millis): Promise<number> => {
  const { count } = await tx.db
    .insertInto('tls_foreign_reports')
    .values({ address, day: now - (now % DAY), count: 1 })
    .onConflict((conflict) =>
      conflict.columns(['address', 'day']).doUpdateSet((eb) => ({ count: eb('tls_foreign_reports.count', '+', 1) })),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count;
};

export const purgeTlsResults = async (tx: Tx, before: Millis): Promise<void> => {
  await tx.db.deleteFrom('tls_results').where('day', '<', before).execute();
  await tx.db.deleteFrom('tls_reports').where('day', '<', before).execute();
  await tx.db.deleteFrom('tls_foreign_reports').where('day', '<', before).execute();
};
