/** The vault: keys wrapped by the master key, sealed secrets, who may open them, and the leak guard's fingerprints. */

/** What was sealed under the master key itself is sealed anew, under a key that it wraps: an older version cannot open it. */
export const kind = 'breaking';

export const up = `
-- name: 'instance', or a workspace's id. master_id: of the master key that wraps it, 8 bytes derived from that.
create table vault_keys (
  name       text primary key,
  master_id  blob not null,
  wrapped    blob not null,
  created_at integer not null
) strict, without rowid;

-- name_key: the name in lower case. version: 1 at first, one more with each change; sealed: the value, bound to every other
-- column of the row.
create table secrets (
  id           blob primary key,
  workspace_id blob not null references workspaces (id),
  name         text not null,
  name_key     text not null,
  type         text not null,
  tags         text not null,
  has_totp     integer not null,
  version      integer not null,
  sealed       blob not null,
  created_at   integer not null,
  updated_at   integer not null
) strict;
create unique index secrets_by_name on secrets (workspace_id, name_key);

-- The version that a secret has now, apart from its row: an older row that is put back does not open. mac: keyed by the
-- workspace.
create table secret_versions (
  secret_id blob primary key,
  version   integer not null,
  mac       blob not null
) strict, without rowid;

create table secret_grants (
  agent_id   blob not null,
  secret_id  blob not null,
  created_at integer not null,
  primary key (agent_id, secret_id)
) strict, without rowid;
create index secret_grants_by_secret on secret_grants (secret_id);

-- Fingerprints of all values of a workspace, sealed as one. generation: one more with each change.
create table leak_indexes (
  workspace_id blob primary key,
  generation   integer not null,
  sealed       blob not null
) strict;
`;
