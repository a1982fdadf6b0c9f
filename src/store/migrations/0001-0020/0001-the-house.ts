/** The first schema: workspaces, domains and keys, agents and their mailboxes, mail, the delivery queue, events. */

export const up = `
create table settings (
  name  text primary key,
  value blob not null
) strict, without rowid;

create table workspaces (
  id          blob primary key,
  name        text not null,
  slug        text not null unique,
  owner_email text not null,
  plan        text not null,
  verified_at integer,
  created_at  integer not null
) strict, without rowid;

-- The base domain has no workspace. A custom domain may be pending in several workspaces at once.
create table domains (
  id              blob primary key,
  workspace_id    blob references workspaces (id),
  name            text not null,
  kind            text not null check (kind in ('base', 'subdomain', 'custom')),
  status          text not null check (status in ('pending', 'verified', 'failing')),
  verified_at     integer,
  last_checked_at integer,
  created_at      integer not null,
  unique (workspace_id, name)
) strict, without rowid;
create index domains_by_name on domains (name);

create table dkim_keys (
  domain_id          blob not null references domains (id) on delete cascade,
  selector           text not null,
  algorithm          text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  role               text not null check (role in ('signing', 'next')),
  public_key         text not null,
  sealed_private_key blob not null,
  created_at         integer not null,
  primary key (domain_id, selector)
) strict, without rowid;

create table agents (
  id           blob primary key,
  workspace_id blob not null references workspaces (id),
  handle       text not null unique,
  display_name text,
  description  text,
  filter_mode  text not null default 'blacklist' check (filter_mode in ('blacklist', 'whitelist')),
  created_at   integer not null,
  removed_at   integer
) strict, without rowid;
create index agents_by_workspace on agents (workspace_id, created_at);

create table mailboxes (
  id           blob primary key,
  agent_id     blob not null references agents (id),
  domain_id    blob not null references domains (id),
  status       text not null default 'active' check (status in ('active', 'suspended')),
  receive_only integer not null default 0,
  expires_at   integer,
  created_at   integer not null
) strict, without rowid;
create index mailboxes_by_agent on mailboxes (agent_id);
create index mailboxes_by_domain on mailboxes (domain_id);

-- Keyed by the lower-case address. A handle that was changed keeps its old address as a row that is not primary.
create table addresses (
  address    text primary key,
  mailbox_id blob not null references mailboxes (id) on delete cascade,
  is_primary integer not null
) strict, without rowid;
create index addresses_by_mailbox on addresses (mailbox_id);

-- Only the key's hash is kept.
create table api_keys (
  id           blob primary key,
  agent_id     blob not null references agents (id),
  name         text not null,
  hash         blob not null unique,
  scopes       text,
  created_at   integer not null,
  last_used_at integer,
  expires_at   integer,
  revoked_at   integer
) strict, without rowid;
create index api_keys_by_agent on api_keys (agent_id);

create table rules (
  id         blob primary key,
  agent_id   blob not null references agents (id),
  match      text not null check (match in ('exact_email', 'domain')),
  value      text not null,
  action     text not null check (action in ('allow', 'block')),
  created_at integer not null,
  unique (agent_id, match, value, action)
) strict, without rowid;

-- Whom a mailbox has written to itself: a whitelist identity knows them.
create table correspondents (
  mailbox_id       blob not null references mailboxes (id),
  address          text not null,
  first_written_at integer not null,
  primary key (mailbox_id, address)
) strict, without rowid;

create table threads (
  id              blob primary key,
  mailbox_id      blob not null references mailboxes (id),
  subject         text not null,
  base_subject    text not null,
  snippet         text not null,
  participants    text not null,
  message_count   integer not null,
  unread_count    integer not null,
  last_message_at integer not null
) strict, without rowid;
create index threads_recent on threads (mailbox_id, last_message_at, id);
create index threads_by_subject on threads (mailbox_id, base_subject, last_message_at);

-- Raw MIME, zstd-compressed, apart from the rows that lists walk. One row serves all recipients of one DATA.
create table raw_messages (
  id   integer primary key,
  mime blob not null,
  size integer not null
) strict;

-- created_at is unique within a mailbox, so that a client may page by it.
create table messages (
  seq            integer primary key,
  id             blob not null unique,
  mailbox_id     blob not null references mailboxes (id),
  thread_id      blob not null references threads (id),
  direction      text not null check (direction in ('in', 'out')),
  from_name      text,
  from_address   text not null,
  to_list        text not null,
  cc_list        text not null,
  reply_to       text not null,
  subject        text not null,
  snippet        text not null,
  unread         integer not null,
  archived       integer not null default 0,
  status         text not null,
  spam_verdict   text,
  authentication text,
  rfc_message_id text,
  in_reply_to    text,
  reference_ids  text not null,
  automatic      integer not null,
  send_class     text,
  open_count     integer not null default 0,
  first_opened_at integer,
  last_opened_at integer,
  attachments    text not null,
  raw_id         integer not null references raw_messages (id),
  created_at     integer not null
) strict;
create unique index messages_by_time on messages (mailbox_id, created_at);
create index messages_current on messages (mailbox_id, created_at) where archived = 0;
create index messages_unread on messages (mailbox_id, created_at) where unread = 1;
create index messages_by_thread on messages (thread_id, created_at);
create index messages_by_rfc_id on messages (mailbox_id, rfc_message_id);
create index messages_by_raw on messages (raw_id);

-- The one copy of the words. The full-text index beside it holds none; its first column is the mailbox, as a token
-- that every query names, so that a search never ranks another's mail.
create table message_texts (
  seq        integer primary key references messages (seq),
  mailbox    text not null,
  subject    text not null,
  sender     text not null,
  recipients text not null,
  body       text not null
) strict;
create virtual table message_index using fts5 (
  mailbox, subject, sender, recipients, body,
  content = 'message_texts', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
);

-- One row per recipient, from acceptance to its outcome.
create table deliveries (
  id              blob primary key,
  message_id      blob not null references messages (id) on delete cascade,
  mailbox_id      blob not null,
  position        integer not null,
  address         text not null,
  domain          text not null,
  status          text not null check (status in ('queued', 'deferred', 'delivered', 'bounced', 'complained', 'cancelled')),
  attempts        integer not null default 0,
  created_at      integer not null,
  next_attempt_at integer,
  leased_until    integer not null default 0,
  last_attempt_at integer,
  code            integer,
  enhanced_code   text,
  response        text,
  remote_host     text,
  tls             text,
  transcript      text
) strict, without rowid;
create index deliveries_by_message on deliveries (message_id, position);
create index deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null;

create table events (
  seq          integer primary key autoincrement,
  id           text not null unique,
  workspace_id blob not null,
  mailbox_id   blob,
  name         text not null,
  data         text not null,
  created_at   integer not null
) strict;
create index events_by_time on events (created_at);
`;
