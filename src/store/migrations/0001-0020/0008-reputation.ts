/** What a workspace's rates are made of: deliveries that ended, and those of replies apart. */

export const up = `
-- Until now each accepted recipient was counted.
alter table outcomes rename column sent to ended;
alter table outcomes add column mails integer not null default 0;
alter table outcomes add column reply_bounced integer not null default 0;
alter table outcomes add column reply_complained integer not null default 0;
update outcomes set mails = ended;

-- Bounces and complaints of replies count once for each day (its first millisecond, UTC) and organisational domain.
create table reply_outcomes (
  workspace_id blob not null,
  day          integer not null,
  kind         text not null check (kind in ('bounced', 'complained')),
  organisation text not null,
  primary key (workspace_id, day, kind, organisation)
) strict, without rowid;
create index reply_outcomes_by_day on reply_outcomes (day);
`;
