/** TLS results of sessions with other domains' hosts, by UTC day, and the reports on them: TLSRPT (RFC 8460). */

import { DAY, type Millis } from '../../kernel/clock.ts';
import type { Entity } from '../mapping.ts';
import { preparedAdd, preparedInsert } from '../prepared-insert.ts';
import { atMost, countRows, findValue, listRows, plus, updateAndCount, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { tlsForeignReports, tlsReports, tlsResults } from './tls-mappings.ts';

export type TlsResultCount = Entity<typeof tlsResults>;

/** Rows of one domain and day; further results are counted without host and addresses. */
const MAX_DETAILED = 100;
/** Further results are not counted: a domain that changes its policy with every session would fill the disk. */
const MAX_ROWS = 200;

const insertResult = preparedInsert(tlsResults);
const insertReport = preparedInsert(tlsReports, (conflict) => conflict.doNothing());
const addForeign = preparedAdd(tlsForeignReports);

/** Adds to the count. @param dueAt when the day's report is to be sent */
export const addTlsResult = async (tx: Tx, count: TlsResultCount, dueAt: Millis): Promise<void> => {
  const { domain, day } = count;
  if (await add(tx, count)) return;
  const rows = await countRows(tx.db, tlsResults, { domain, day });
  const counted = rows < MAX_DETAILED ? count : { ...count, mxHost: '', sendingIp: '', receivingIp: '' };
  if (counted !== count && ((await add(tx, counted)) || rows >= MAX_ROWS)) return;
  await insertResult(tx, counted);
  await insertReport(tx, { domain, day, dueAt });
};

/** @returns false where there is no row to add to */
const add = async (tx: Tx, { reason, sessions, ...counted }: TlsResultCount): Promise<boolean> =>
  (await updateAndCount(tx, tlsResults, counted, { sessions: plus(sessions) })) > 0;

export const listTlsResults = (db: Db, domain: string, day: Millis): Promise<TlsResultCount[]> =>
  listRows(db, tlsResults, { domain, day }, { order: { policy: 'asc', failure: 'asc' } });

/** Without the time that it is due. */
const due = tlsReports.omit('dueAt');
export type DueTlsReport = Entity<typeof due>;

/** The longest due first. */
export const listDueTlsReports = (db: Db, now: Millis, limit: number): Promise<DueTlsReport[]> =>
  listRows(db, tlsReports, { dueAt: atMost(now) }, { order: { dueAt: 'asc' }, limit, as: due });

/** @param dueAt null: the report is done with */
export const rescheduleTlsReport = (tx: Tx, report: DueTlsReport, dueAt: Millis | null): Promise<void> =>
  updateRows(tx, tlsReports, { domain: report.domain, day: report.day }, { urls: report.urls, dueAt });

/**
 * Counts a report to an organisation other than the requesting domain.
 * @returns the reports to it on the UTC day of `now`, this one included
 */
export const countForeignReport = async (tx: Tx, address: string, now: Millis): Promise<number> => {
  const ofDay = { address, day: now - (now % DAY) };
  await addForeign(tx, { ...ofDay, count: 1 });
  return (await findValue(tx.db, tlsForeignReports, 'count', ofDay)) ?? 0;
};
