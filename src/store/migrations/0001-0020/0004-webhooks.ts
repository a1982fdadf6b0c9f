/** Webhook endpoints, what waits for each of them, and the log of what they were sent. */

export const up = `
-- mailbox_id: only events of that mailbox; null: of the whole workspace. sealed_secrets: JSON, the newest first.
-- sealed_headers: JSON; null: none. template: JSON. Off by failures or gone it holds events, paused it does not.
-- notice_due: its owner has yet to be told that it was turned off.
create table webhooks (
  id              blob primary key,
  workspace_id    blob not null references workspaces (id),
  mailbox_id      blob,
  url             text not null,
  events          text not null,
  sealed_secrets  blob not null,
  header_names    text not null,
  sealed_headers  blob,
  template        text,
  active          integer not null,
  disabled_reason text check (disabled_reason in ('paused', 'failures', 'gone')),
  failure_count   integer not null,
  notice_due      integer not null,
  created_at      integer not null,
  updated_at      integer not null
) strict, without rowid;
create index webhooks_by_workspace on webhooks (workspace_id, created_at);
create index webhooks_to_tell on webhooks (id) where notice_due = 1;

-- One for each event and endpoint. next_attempt_at: null once it has arrived, was given up or was dropped.
-- body: the bytes that go out, where a template made them; null: the event's envelope.
create table webhook_deliveries (
  webhook_id      blob not null,
  event_seq       integer not null,
  attempts        integer not null,
  next_attempt_at integer,
  last_attempt_at integer,
  body            blob,
  primary key (webhook_id, event_seq)
) strict, without rowid;
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, event_seq)
  where next_attempt_at is not null;
create index webhook_deliveries_by_event on webhook_deliveries (event_seq);

-- at: no two of a workspace share it.
create table webhook_attempts (
  workspace_id  blob not null,
  at            integer not null,
  webhook_id    blob not null,
  event_seq     integer not null,
  attempt       integer not null,
  status_code   integer,
  response_body text,
  duration_ms   integer not null,
  error         text
) strict;
create unique index webhook_attempts_by_workspace on webhook_attempts (workspace_id, at);
create index webhook_attempts_by_webhook on webhook_attempts (webhook_id, at);
create index webhook_attempts_by_time on webhook_attempts (at);

create index events_by_workspace on events (workspace_id, seq);
`;
