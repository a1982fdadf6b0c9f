/** Sends TLS reports, one for each UTC day to each domain that requests them: RFC 8460 sections 3 and 5. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Address, domainOf } from '../../kernel/address.ts';
import { type Clock, DAY, HOUR, type Millis, SECOND } from '../../kernel/clock.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { organizationalDomain } from '../../mail/auth/organizational-domain.ts';
import { composeTlsrpt } from '../../mail/compose/compose-tlsrpt.ts';
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
import { formatReportId, makeTlsReport, reportFilename } from './tls-report.ts';

const compress = promisify(gzip);

/** Reports of one run of the job. */
const MAX_PER_RUN = 50;
const RETRY_AFTER_MS = HOUR;
/** From the day's beginning: RFC 8460 section 5.6 has delivery retried for a day. */
const GIVE_UP_AFTER_MS: Millis = 2 * DAY + 6 * HOUR;
const POST_TIMEOUT_MS = 15 * SECOND;
const MAX_ANSWER_BYTES = 4096;
/**
 * Reports a day to one address outside of the reported domains. A domain may name any address, without the consent that
 * DMARC asks for; the limit suffices for report services and bounds abuse of an uninvolved address.
 */
const FOREIGN_REPORTS_PER_DAY = 10;

export interface TlsReportNeeds {
  store: Store;
  clock: Clock;
  resolver: Resolver;
  request: SendGuarded;
  send: SendMail;
  /** The sender of reports by mail; null where the vault's key is missing: they stay due. */
  reporter: { agentId: AgentId; address: Address } | null;
  /** The reporting organisation's domain. */
  submitter: string;
  onError: (error: unknown) => void;
}

type RecordResult =
  | { readonly kind: 'record'; readonly record: TlsrptRecord }
  /** The domain requests no reports. */
  | { readonly kind: 'none' }
  /** DNS failed for now. */
  | { readonly kind: 'unknown' };

export const createTlsReports = (needs: TlsReportNeeds): (() => Promise<void>) => {
  const { store, clock, resolver, request, send, submitter, onError } = needs;
  const contact = `postmaster@${submitter}`;

  const reschedule = (report: DueTlsReport, dueAt: Millis | null): Promise<void> =>
    store.write((tx) => rescheduleTlsReport(tx, report, dueAt));

  /** The next try; null once {@link GIVE_UP_AFTER_MS} has passed. */
  const nextTry = ({ day }: DueTlsReport, at = clock.now() + RETRY_AFTER_MS): Millis | null =>
    at > day + GIVE_UP_AFTER_MS ? null : at;

  const findRecord = async (domain: string): Promise<RecordResult> => {
    try {
      const records = await resolver.resolve(`_smtp._tls.${domain}`, 'TXT');
      const record = readTlsrptRecord(records.map((strings) => strings.join('')));
      return record ? { kind: 'record', record } : { kind: 'none' };
    } catch (error) {
      if (!isDnsError(error)) throw error;
      return { kind: isNoRecord(error) ? 'none' : 'unknown' };
    }
  };

  /** The addresses within the reported organisation, and one outside of it within {@link FOREIGN_REPORTS_PER_DAY}. */
  const limitForeign = async ({ domain }: DueTlsReport, addresses: readonly Address[]): Promise<Address[]> => {
    const isOwn = (address: Address) => organizationalDomain(domainOf(address)) === organizationalDomain(domain);
    const foreign = addresses.find((address) => !isOwn(address));
    const own = addresses.filter(isOwn);
    if (foreign === undefined) return own;
    const count = await store.write((tx) => countForeignReport(tx, foreign, clock.now()));
    return count <= FOREIGN_REPORTS_PER_DAY ? [...own, foreign] : own;
  };

  const composeReport = async ({ domain, day }: DueTlsReport): Promise<Buffer> => {
    const counts = await listTlsResults(store.read, domain, day);
    return compress(JSON.stringify(makeTlsReport({ domain, day, submitter, contact }, counts)));
  };

  /** Rescheduled or ended in the transaction that accepts the mail: a report is mailed once. */
  const mailReport = async (
    { address: from, agentId }: NonNullable<TlsReportNeeds['reporter']>,
    due: DueTlsReport,
    { addresses, urls }: TlsrptRecord,
    report: Buffer,
  ): Promise<void> => {
    const about = { domain: due.domain, day: due.day, submitter };
    const [reportId, filename] = [formatReportId(about), reportFilename(about)];
    const raw = composeTlsrpt({ ...about, from, to: addresses, date: clock.now(), reportId, filename, report });
    const next = urls.length > 0 ? clock.now() : null;
    await send({
      via: 'daemon',
      agentId,
      to: addresses.map((address) => ({ name: null, address })),
      cc: [],
      content: { kind: 'raw', raw },
      parent: null,
      inTransaction: async (tx, outcome) => {
        // A limit of the gate ends and the report is retried; a suppression of the address does not.
        const retryAt = outcome.kind === 'rejected' ? outcome.retryAt : undefined;
        if (retryAt !== undefined) await rescheduleTlsReport(tx, due, nextTry(due, retryAt));
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
        timeoutMs: POST_TIMEOUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      });
      return reply.status >= 200 && reply.status < 300;
    } catch (error) {
      if (error instanceof GuardedHttpError) return false;
      throw error;
    }
  };

  const postAll = async (due: DueTlsReport, urls: readonly string[], report: Buffer): Promise<void> => {
    const accepted = await Promise.all(urls.map((url) => post(url, report)));
    const left = urls.filter((_, at) => !accepted[at]);
    await reschedule({ ...due, urls: left }, left.length > 0 ? nextTry(due) : null);
  };

  const sendOne = async (due: DueTlsReport): Promise<void> => {
    if (due.urls) return postAll(due, due.urls, await composeReport(due));
    const found = await findRecord(due.domain);
    if (found.kind === 'none') return reschedule(due, null);
    if (found.kind === 'unknown') return reschedule(due, nextTry(due));
    const { record } = found;
    const report = await composeReport(due);
    if (record.addresses.length > 0 && !needs.reporter) return reschedule(due, nextTry(due));
    const addresses = await limitForeign(due, record.addresses);
    if (!needs.reporter || addresses.length === 0) return postAll(due, record.urls, report);
    return mailReport(needs.reporter, due, { ...record, addresses }, report);
  };

  return async () => {
    const due = await listDueTlsReports(store.read, clock.now(), MAX_PER_RUN);
    await Promise.all(due.map((report) => sendOne(report).catch(onError)));
  };
};
