/** Contacts of a workspace, what they are found by, and lists of them. */

export const kind = 'additive';

export const up = `
-- channels, domains, addresses, memories: JSON.
create table contacts (
  seq            integer primary key,
  id             blob not null unique,
  workspace_id   blob not null references workspaces (id),
  given_name     text,
  family_name    text,
  preferred_name text,
  company_name   text,
  job_title      text,
  notes          text,
  channels       text not null,
  domains        text not null,
  addresses      text not null,
  memories       text not null,
  created_at     integer not null,
  updated_at     integer not null
) strict;
create index contacts_by_workspace on contacts (workspace_id, seq);

-- What a contact is found by. kind: see contact-keys.ts. recency: the contact's seq, negated, so that contacts of one key
-- stand newest first.
create table contact_keys (
  workspace_id blob not null,
  kind         integer not null,
  key          text not null,
  recency      integer not null,
  primary key (workspace_id, kind, key, recency)
) strict, without rowid;
create index contact_keys_by_contact on contact_keys (recency, kind, key);

-- Keys that two contacts or more have: candidates for a merge.
create table contact_shared_keys (
  workspace_id blob not null,
  kind         integer not null,
  key          text not null,
  primary key (workspace_id, kind, key)
) strict, without rowid;

create table contact_books (
  workspace_id  blob primary key,
  contact_count integer not null
) strict, without rowid;

-- name_key: the name without case. member_count: kept with each change of the members.
create table contact_lists (
  id           blob primary key,
  workspace_id blob not null references workspaces (id),
  name         text not null,
  name_key     text not null,
  description  text,
  member_count integer not null,
  created_at   integer not null,
  updated_at   integer not null,
  unique (workspace_id, name_key)
) strict, without rowid;

create table contact_list_members (
  list_id     blob not null references contact_lists (id) on delete cascade,
  contact_seq integer not null references contacts (seq) on delete cascade,
  primary key (list_id, contact_seq)
) strict, without rowid;
create index contact_list_members_by_contact on contact_list_members (contact_seq, list_id);
`;
