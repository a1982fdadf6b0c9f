/** The tables of TLS policies and results. What each column promises stands beside it in migrations/. */

import { json, mapping, number, text } from '../mapping.ts';

export const tlsResults = mapping('tls_results', {
  domain: text(),
  /** When the UTC day began. */
  day: number(),
  /** JSON: the policy that it was measured by. */
  policy: text(),
  /** '' for sessions without a failure; the fields after it are '' with them. */
  failure: text(),
  mxHost: text(),
  sendingIp: text(),
  receivingIp: text(),
  /** The reason of the first session that failed so. */
  reason: text(),
  sessions: number(),
}).keyedBy('domain', 'day', 'policy', 'failure', 'mxHost', 'sendingIp', 'receivingIp');

export const tlsReports = mapping('tls_reports', {
  domain: text(),
  day: number(),
  /** Null once it was sent, or no address asks for it. */
  dueAt: number().nullable(),
  /** Destinations still to be posted to; null: not yet looked up. */
  urls: json<string[]>().nullable(),
}).keyedBy('domain', 'day');

export const tlsForeignReports = mapping('tls_foreign_reports', {
  address: text(),
  day: number(),
  count: number(),
}).keyedBy('address', 'day');

export const mtaStsPolicies = mapping('mta_sts_policies', {
  domain: text(),
  /** The id of the record that it was fetched for. */
  policyId: text(),
  /** As it was sent. */
  policy: text(),
  fetchedAt: number(),
  expiresAt: number(),
});
