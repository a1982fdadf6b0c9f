/** Composes the JSON of a TLS report: RFC 8460 section 4. */

import { DAY, isoTime, type Millis, SECOND } from '../../kernel/clock.ts';
import type { TlsResultCount } from '../../store/tls/tls-results.ts';
import type { ReportedPolicy } from './tls-results-count.ts';

export interface TlsReportInput {
  /** The recipient domain. */
  domain: string;
  /** The beginning of the UTC day. */
  day: Millis;
  /** The reporting organisation's domain. */
  submitter: string;
  contact: string;
}

/** The same at every attempt, so that receivers recognise a repeated report. */
export const formatReportId = ({ domain, day, submitter }: Omit<TlsReportInput, 'contact'>): string =>
  `${isoTime(day).slice(0, 10)}.${domain}@${submitter}`;

/** RFC 8460 section 5.1: submitter, domain and the day's ends in seconds. */
export const reportFilename = ({ domain, day, submitter }: Omit<TlsReportInput, 'contact'>): string =>
  `${submitter}!${domain}!${day / SECOND}!${(day + DAY) / SECOND - 1}.json.gz`;

const toDetail = ({ failure, mxHost, sendingIp, receivingIp, reason, sessions }: TlsResultCount) => ({
  'result-type': failure,
  ...(sendingIp !== '' && { 'sending-mta-ip': sendingIp }),
  ...(mxHost !== '' && { 'receiving-mx-hostname': mxHost }),
  ...(receivingIp !== '' && { 'receiving-ip': receivingIp }),
  'failed-session-count': sessions,
  ...(reason !== '' && { 'failure-reason-code': reason }),
});

const toPolicy = (policy: string, counts: readonly TlsResultCount[]) => {
  const { type, domain, strings, mx } = JSON.parse(policy) as ReportedPolicy;
  const failed = counts.filter(({ failure }) => failure !== '');
  const sum = (some: readonly TlsResultCount[]) => some.reduce((total, { sessions }) => total + sessions, 0);
  return {
    policy: {
      'policy-type': type,
      ...(strings.length > 0 && { 'policy-string': strings }),
      'policy-domain': domain,
      ...(mx.length > 0 && { 'mx-host': mx }),
    },
    summary: {
      'total-successful-session-count': sum(counts) - sum(failed),
      'total-failure-session-count': sum(failed),
    },
    ...(failed.length > 0 && { 'failure-details': failed.map(toDetail) }),
  };
};

/** The report as an object for JSON. */
export const makeTlsReport = (about: TlsReportInput, counts: readonly TlsResultCount[]) => ({
  'organization-name': about.submitter,
  'date-range': {
    'start-datetime': isoTime(about.day).replace('.000', ''),
    'end-datetime': isoTime(about.day + DAY - SECOND).replace('.000', ''),
  },
  'contact-info': about.contact,
  'report-id': formatReportId(about),
  policies: [...Map.groupBy(counts, ({ policy }) => policy)].map(([policy, some]) => toPolicy(policy, some)),
});
