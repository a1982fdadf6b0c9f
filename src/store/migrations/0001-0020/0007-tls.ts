/** What domains ask of TLS, and how TLS with them went. */

export const up = `
-- MTA-STS (RFC 8461). policy_id: the id of the record that the policy was fetched for. policy: as it was sent.
create table mta_sts_policies (
  domain     text primary key,
  policy_id  text not null,
  policy     text not null,
  fetched_at integer not null,
  expires_at integer not null
) strict, without rowid;
create index mta_sts_policies_by_end on mta_sts_policies (expires_at);

-- TLS-RPT (RFC 8460): sessions with a recipient domain on a UTC day, which begins at \`day\`. policy: JSON. failure: the
-- result type; '' for sessions that were as they should be, whose host and addresses are not told apart.
create table tls_results (
  domain       text not null,
  day          integer not null,
  policy       text not null,
  failure      text not null,
  mx_host      text not null,
  sending_ip   text not null,
  receiving_ip text not null,
  reason       text not null,
  sessions     integer not null,
  primary key (domain, day, policy, failure, mx_host, sending_ip, receiving_ip)
) strict, without rowid;
create index tls_results_by_day on tls_results (day);

-- The report on a day. due_at: null once it was sent, or nobody wants it. urls: JSON, where it has yet to be posted; null:
-- not yet looked up.
create table tls_reports (
  domain text not null,
  day    integer not null,
  due_at integer,
  urls   text,
  primary key (domain, day)
) strict, without rowid;
create index tls_reports_due on tls_reports (due_at) where due_at is not null;
create index tls_reports_by_day on tls_reports (day);
`;
