/** What the send gate counts and keeps: usage, tripwires, suppressions, holds, bookings, idempotency keys, sending state. */

export const up = `
-- hidden: the box's own workspace, which no list shows. rates_from: outcomes before it no longer count (a resume).
alter table workspaces add column hidden integer not null default 0;
alter table workspaces add column tier text not null default 'standard' check (tier in ('standard', 'probation'));
alter table workspaces add column spend_cap_usd real;
alter table workspaces add column sending_state text not null default 'normal'
  check (sending_state in ('normal', 'throttled', 'paused'));
alter table workspaces add column sending_state_reason text;
alter table workspaces add column sending_state_at integer not null default 0;
alter table workspaces add column rates_from integer not null default 0;
create index workspaces_throttled on workspaces (sending_state) where sending_state = 'throttled';

alter table agents add column hold integer not null default 0;
alter table agents add column guard integer not null default 0;

-- cooldown_until: after a velocity trip. next_cold_at: when a throttled mailbox's next cold mail may leave.
alter table mailboxes add column cooldown_until integer not null default 0;
alter table mailboxes add column next_cold_at integer not null default 0;

-- Whom a mailbox has heard from; whom it has written to stands in correspondents.
create table heard_from (
  mailbox_id blob not null references mailboxes (id),
  address    text not null,
  primary key (mailbox_id, address)
) strict, without rowid;

-- scope: a workspace or a mailbox. period: '2026-11-21' or '2026-11', UTC. units: tenths of a send.
create table usage (
  scope  blob not null,
  period text not null,
  units  integer not null,
  cold   integer not null,
  primary key (scope, period)
) strict, without rowid;

-- Cold sends in buckets of an hour and of a minute (width, in ms), for the velocity tripwire.
create table cold_sends (
  mailbox_id blob not null,
  width      integer not null,
  starts_at  integer not null,
  count      integer not null,
  primary key (mailbox_id, width, starts_at)
) strict, without rowid;

-- Who got the same words lately, for the duplicate tripwire.
create table body_recipients (
  mailbox_id blob not null,
  body_hash  blob not null,
  address    text not null,
  sent_at    integer not null,
  primary key (mailbox_id, body_hash, address)
) strict, without rowid;
create index body_recipients_by_time on body_recipients (sent_at);

-- Recipients accepted, bounced and complained, by hour, for the workspace's rates.
create table outcomes (
  workspace_id blob not null,
  hour         integer not null,
  sent         integer not null,
  bounced      integer not null,
  complained   integer not null,
  primary key (workspace_id, hour)
) strict, without rowid;

-- until: null for good.
create table suppressions (
  workspace_id blob not null references workspaces (id),
  address      text not null,
  reason       text not null check (reason in ('bounce', 'complaint', 'manual')),
  bounce_type  text,
  message_id   blob,
  until        integer,
  created_at   integer not null,
  primary key (workspace_id, address)
) strict, without rowid;
create index suppressions_by_time on suppressions (workspace_id, created_at, address);

-- A mail held for a person: the bytes exactly as they will go, and what its row will say once it goes.
create table pending_sends (
  id             blob primary key,
  agent_id       blob not null,
  mailbox_id     blob not null,
  workspace_id   blob not null,
  status         text not null check (status in ('pending', 'approved', 'rejected', 'expired')),
  reason         text not null,
  send_class     text not null,
  to_list        text not null,
  subject        text not null,
  snippet        text not null,
  outgoing       text not null,
  mime           blob,
  size           integer not null,
  message_id     blob,
  decision_note  text,
  failure_reason text,
  decided_by     text,
  decided_at     integer,
  created_at     integer not null,
  expires_at     integer not null
) strict, without rowid;
create index pending_by_mailbox on pending_sends (mailbox_id, created_at) where status = 'pending';
create index pending_by_expiry on pending_sends (expires_at) where status = 'pending';

-- request: zstd-compressed JSON of the send as it was booked.
create table scheduled_sends (
  id             blob primary key,
  agent_id       blob not null,
  mailbox_id     blob not null,
  status         text not null check (status in ('pending', 'sent', 'held', 'failed', 'cancelled')),
  to_list        text not null,
  subject        text not null,
  request        blob,
  send_at        integer not null,
  booked_at      integer not null,
  message_id     blob,
  pending_id     blob,
  failure_reason text
) strict, without rowid;
create index scheduled_by_mailbox on scheduled_sends (mailbox_id, send_at) where status = 'pending';
create index scheduled_due on scheduled_sends (send_at) where status = 'pending';

create table idempotency_keys (
  api_key_id  blob not null,
  key         text not null,
  fingerprint blob not null,
  status      integer not null,
  body        text not null,
  created_at  integer not null,
  primary key (api_key_id, key)
) strict, without rowid;
create index idempotency_keys_by_time on idempotency_keys (created_at);
`;
