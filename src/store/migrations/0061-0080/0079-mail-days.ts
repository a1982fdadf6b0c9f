/** Counts by day, for the health of sending. */

export const kind = 'additive';

export const up = `
-- Of a workspace and of each of its mailboxes; sends are in usage. day: its first millisecond, in UTC.
create table mail_days (
  scope    blob not null,
  day      integer not null,
  received integer not null,
  bounced  integer not null,
  primary key (scope, day)
) strict, without rowid;

-- Of each receiving organisation. reply: '' for all of its deliveries, else the codes of one kind of reply.
create table host_days (
  workspace_id blob not null,
  day          integer not null,
  organisation text not null,
  reply        text not null,
  ended        integer not null,
  refused      integer not null,
  deferred     integer not null,
  said         text,
  primary key (workspace_id, day, organisation, reply)
) strict, without rowid;
`;
