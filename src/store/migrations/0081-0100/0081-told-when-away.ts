/** What a person is told while away: by push, by mail, by a digest; and what browser a session is of. */

export const kind = 'additive';

export const up = `
alter table owner_sessions add column browser text not null default 'a browser';

-- What a person has chosen; a missing row, and null, stand for what is so without a choice.
create table told_settings (
  owner_id       blob primary key references owners (id) on delete cascade,
  mails_held     integer,
  mails_needs    integer,
  digest         text not null,
  digest_hour    integer not null,
  digest_zone    text not null,
  -- The first UTC day that no digest has covered.
  digest_from    integer not null,
  -- Null: none comes.
  digest_due_at  integer
) strict, without rowid;
create index told_settings_due on told_settings (digest_due_at) where digest_due_at is not null;

-- A browser's push subscription (RFC 8030); it ends with its session.
create table push_subscriptions (
  session_hash blob primary key references owner_sessions (hash) on delete cascade,
  owner_id     blob not null,
  endpoint     text not null,
  public_key   blob not null,
  auth         blob not null,
  tells_held   integer not null,
  tells_needs  integer not null,
  created_at   integer not null
) strict, without rowid;
create index push_subscriptions_owner on push_subscriptions (owner_id);
create index push_subscriptions_endpoint on push_subscriptions (endpoint);

-- A telling of one browser; a later one of the same tag replaces it.
create table push_messages (
  session_hash blob not null references push_subscriptions (session_hash) on delete cascade,
  tag          text not null,
  workspace_id blob not null,
  data         text not null,
  changed_at   integer not null,
  -- Null: told.
  due_at       integer,
  attempts     integer not null,
  sent_at      integer,
  primary key (session_hash, tag)
) strict, without rowid;
create index push_messages_due on push_messages (due_at) where due_at is not null;
create index push_messages_changed on push_messages (changed_at) where due_at is null;

-- What a workspace's owners were told to need them; seen_at: when it was last found to stand.
create table told_needs (
  workspace_id blob not null references workspaces (id) on delete cascade,
  need         text not null,
  seen_at      integer not null,
  primary key (workspace_id, need)
) strict, without rowid;
create index told_needs_seen on told_needs (seen_at);
`;
