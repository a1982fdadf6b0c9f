/** TLS reports that a domain has sent to an address of another organisation: counted, because nobody there asked for them. */

export const up = `
create table tls_foreign_reports (
  address text not null,
  day     integer not null,
  count   integer not null,
  primary key (address, day)
) strict, without rowid;
create index tls_foreign_reports_by_day on tls_foreign_reports (day);
`;
