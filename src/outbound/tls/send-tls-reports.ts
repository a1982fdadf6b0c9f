/** Sends each domain that asks for it the report on a day of TLS with it: RFC 8460 sections 3 and 5. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Address, domainOf } from '../../kernel/address.ts';
import { type Clock, DAY, HOUR, type Millis, SECOND } from '../../kernel/clock.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { organizationalDomain } from '../../mail/auth/organizational-domain.ts';
import { makeTlsReportMail } from '../../mail/compose/compose-tlsrpt.ts';
import { isDnsError, isNoRecord, type Resolver } from '../../net/dns/resolver.ts';
import { GuardedHttpError, type SendGuarded } from '../../net/http/guarded-client.ts';
import { readTlsrptRecord, type TlsrptRecord } from '../../net/tls/tlsrpt-record.ts';
import type { Store } from '../../store/store.ts';
import {
  countForeignReport,
  type DueTlsReport,
  listDueTlsReports,
  listTlsResults,
  rescheduleTlsReport,
} from '../../store/tls/tls-results.ts';
import type { SendMail } from '../gate/send-request.ts';
import { makeTlsReport, reportFilename, reportIdOf } from './tls-report.ts';

const compress = promisify(gzip);

/** At a time; the next run takes the rest. */
const MAX_AT_ONCE = 50;
const TRY_AGAIN_MS = HOUR;
/** RFC 8460 section 5.6: redelivery is tried for a day. */
const GIVE_UP_AFTER_MS: Millis = 2 * DAY + 6 * HOUR;
const POST_TIME_OUT_MS = 15 * SECOND;
const MAX_ANSWER_BYTES = 4096;
/**
 * A domain may name any address (RFC 8460 has no consent of the other side as DMARC has). Services that process reports
 * for many domains get theirs; an address that somebody points domains at gets so many a day.
 */
const FOREIGN_REPORTS_PER_DAY = 10;

export interface ReportingNeeds {
  store: Store;
  clock: Clock;
  resolver: Resolver;
  request: SendGuarded;
  send: SendMail;
  /** Whom reports by mail come from; null: nothing can be signed, and they wait. */
  reporter: { agentId: AgentId; address: Address } | null;
  /** The domain that reports come from. */
  submitter: string;
  onError: (error: unknown) => void;
}

export const createTlsReports = (needs: ReportingNeeds): (() => Promise<void>) => {
  const { store, clock, resolver, request, send, submitter, onError } = needs;
  const contact = `postmaster@${submitter}`;

  const settle = (report: DueTlsReport, dueAt: Millis | null): Promise<void> =>
    store.write((tx) => rescheduleTlsReport(tx, report, dueAt));

  /** Null once it is too late. */
  const later = ({ day }: DueTlsReport, at = clock.now() + TRY_AGAIN_MS): Millis | null =>
    at > day + GIVE_UP_AFTER_MS ? null : at;

  /** Null: nobody wants it. */
  const findPlaces = async (domain: string): Promise<TlsrptRecord | null | 'unknown'> => {
    try {
      const records = await resolver.resolve(`_smtp._tls.${domain}`, 'TXT');
      return readTlsrptRecord(records.map((strings) => strings.join('')));
    } catch (error) {
      if (!isDnsError(error)) throw error;
      return isNoRecord(error) ? null : 'unknown';
    }
  };

  /** Addresses of the domain's own organisation, and one other as long as it has not had its share of the day. */
  const permitted = async ({ domain }: DueTlsReport, addresses: readonly Address[]): Promise<Address[]> => {
    const isOwn = (address: Address) => organizationalDomain(domainOf(address)) === organizationalDomain(domain);
    const foreign = addresses.find((address) => !isOwn(address));
    const own = addresses.filter(isOwn);
    if (foreign === undefined) return own;
    const count = await store.write((tx) => countForeignReport(tx, foreign, clock.now()));
    return count <= FOREIGN_REPORTS_PER_DAY ? [...own, foreign] : own;
  };

  const zipped = async ({ domain, day }: DueTlsReport): Promise<Buffer> => {
    const counts = await listTlsResults(store.read, domain, day);
    return compress(JSON.stringify(makeTlsReport({ domain, day, submitter, contact }, counts)));
  };

  /** Settled in the transaction that takes the mail: a report goes out by mail once. */
  const mailIt = async (
    { address: from, agentId }: NonNullable<ReportingNeeds['reporter']>,
    due: DueTlsReport,
    { addresses, urls }: TlsrptRecord,
    report: Buffer,
  ): Promise<void> => {
    const about = { domain: due.domain, day: due.day, submitter };
    const [reportId, filename] = [reportIdOf(about), reportFilename(about)];
    const raw = makeTlsReportMail({ ...about, from, to: addresses, date: clock.now(), reportId, filename, report });
    const next = urls.length > 0 ? clock.now() : null;
    await send({
      agentId,
      to: addresses.map((address) => ({ name: null, address })),
      cc: [],
      content: { kind: 'raw', raw },
      parent: null,
      alongside: async (tx, outcome) => {
        // Our own limits are over some time; an address that is suppressed stays so.
        const retryAt = outcome.kind === 'rejected' ? outcome.retryAt : undefined;
        if (retryAt !== undefined) await rescheduleTlsReport(tx, due, later(due, retryAt));
        else await rescheduleTlsReport(tx, { ...due, urls }, next);
      },
    });
  };

  const post = async (url: string, body: Buffer): Promise<boolean> => {
    try {
      const headers = { 'content-type': 'application/tlsrpt+gzip' };
      const reply = await request({
        url: new URL(url),
        method: 'POST',
        headers,
        body,
        timeoutMs: POST_TIME_OUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      });
      return reply.status >= 200 && reply.status < 300;
    } catch (error) {
      if (error instanceof GuardedHttpError) return false;
      throw error;
    }
  };

  const postAll = async (due: DueTlsReport, urls: readonly string[], report: Buffer): Promise<void> => {
    const taken = await Promise.all(urls.map((url) => post(url, report)));
    const left = urls.filter((_, at) => !taken[at]);
    await settle({ ...due, urls: left }, left.length > 0 ? later(due) : null);
  };

  const sendOne = async (due: DueTlsReport): Promise<void> => {
    if (due.urls) return postAll(due, due.urls, await zipped(due));
    const places = await findPlaces(due.domain);
    if (places === null) return settle(due, null);
    if (places === 'unknown') return settle(due, later(due));
    const report = await zipped(due);
    if (places.addresses.length > 0 && !needs.reporter) return settle(due, later(due));
    const addresses = await permitted(due, places.addresses);
    if (!needs.reporter || addresses.length === 0) return postAll(due, places.urls, report);
    return mailIt(needs.reporter, due, { ...places, addresses }, report);
  };

  return async () => {
    const due = await listDueTlsReports(store.read, clock.now(), MAX_AT_ONCE);
    await Promise.all(due.map((report) => sendOne(report).catch(onError)));
  };
};
