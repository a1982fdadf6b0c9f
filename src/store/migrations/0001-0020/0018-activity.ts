/** The activity log: who did what, by what, when. Appended to, never changed, and chained by hash. */

export const kind = 'additive';

export const up = `
-- detail: JSON. hash: SHA-256 over the hash before it and this row. mac: HMAC of hash under a key that the vault's key
-- opens; null where it was written without that key (src/activity/chain.ts).
create table activity (
  seq          integer primary key,
  id           blob not null unique,
  workspace_id blob,
  at           integer not null,
  actor        text not null,
  action       text not null,
  subject      text not null,
  via          text not null,
  detail       text not null,
  hash         blob not null,
  mac          blob
) strict;
create index activity_by_workspace on activity (workspace_id, seq);

-- One row. seq, hash: of the last act; purged_seq, purged_hash: of the last one that retention has removed.
create table activity_head (
  id          integer primary key check (id = 1),
  seq         integer not null,
  hash        blob not null,
  purged_seq  integer not null,
  purged_hash blob not null,
  mac         blob
) strict;
insert into activity_head values (1, 0, zeroblob(32), 0, zeroblob(32), null);

create trigger activity_is_appended before insert on activity
when new.seq <> (select seq from activity_head) or exists (select 1 from activity where seq >= new.seq)
begin select raise(abort, 'the activity log is appended to in its order'); end;
create trigger activity_is_not_changed before update on activity
begin select raise(abort, 'the activity log is not changed'); end;
create trigger activity_is_kept before delete on activity
when old.seq > (select purged_seq from activity_head)
begin select raise(abort, 'only retention removes from the activity log'); end;
create trigger activity_head_goes_forward before update on activity_head
when new.seq < old.seq or new.purged_seq < old.purged_seq or new.purged_seq > new.seq
begin select raise(abort, 'the activity log only grows'); end;
create trigger activity_head_is_kept before delete on activity_head
begin select raise(abort, 'the head of the activity log stays'); end;
`;
