/** Owners who sign in, workspaces that agents signed up for, and addresses that end after a change of handle. */

export const kind = 'additive';

export const up = `
-- A person, by the lower-case address. verified_at: when a link that was mailed to the address was used.
create table owners (
  id          blob primary key,
  email       text not null unique,
  verified_at integer,
  created_at  integer not null
) strict, without rowid;

create table workspace_owners (
  workspace_id blob not null references workspaces (id),
  owner_id     blob not null references owners (id),
  created_at   integer not null,
  primary key (workspace_id, owner_id)
) strict, without rowid;
create index workspace_owners_by_owner on workspace_owners (owner_id);

-- Keyed by the hash of the link's secret. kind: mailed, printed by the CLI, or for the claim of workspace_id.
create table sign_in_links (
  hash         blob primary key,
  email        text not null,
  kind         text not null check (kind in ('mailed', 'printed', 'claim')),
  workspace_id blob references workspaces (id),
  created_at   integer not null,
  expires_at   integer not null,
  used_at      integer
) strict, without rowid;
create index sign_in_links_by_email on sign_in_links (email, kind, created_at);
create index sign_in_links_by_time on sign_in_links (created_at);

-- Keyed by the hash of the cookie's secret.
create table owner_sessions (
  hash         blob primary key,
  owner_id     blob not null references owners (id),
  created_at   integer not null,
  last_used_at integer not null,
  expires_at   integer not null
) strict, without rowid;
create index owner_sessions_by_owner on owner_sessions (owner_id, created_at);
create index owner_sessions_by_end on owner_sessions (expires_at);

-- Every owner so far, by the address alone where it is written with a name.
insert into owners (id, email, verified_at, created_at)
  select randomblob(16), email, max(verified_at), min(created_at)
  from (
    select lower(trim(case when owner_email like '%<%>%'
      then substr(owner_email, instr(owner_email, '<') + 1, instr(owner_email, '>') - instr(owner_email, '<') - 1)
      else owner_email end)) as email, verified_at, created_at
    from workspaces where hidden = 0
  )
  where email like '%_@_%' group by email;
insert into workspace_owners (workspace_id, owner_id, created_at)
  select workspaces.id, owners.id, workspaces.created_at
  from workspaces join owners on owners.email = lower(trim(case when owner_email like '%<%>%'
    then substr(owner_email, instr(owner_email, '<') + 1, instr(owner_email, '>') - instr(owner_email, '<') - 1)
    else owner_email end))
  where hidden = 0;

-- claim_hash: of the token in the claim_url of a signup; null where the operator made the workspace.
alter table workspaces add column claim_hash blob;
alter table workspaces add column claimed_at integer;
-- Removed: its agents are removed with it. purged_at: when the last of its data was deleted.
alter table workspaces add column removed_at integer;
alter table workspaces add column purged_at integer;
create index pending_sends_of_mailbox on pending_sends (mailbox_id);
create index scheduled_sends_of_mailbox on scheduled_sends (mailbox_id);
create unique index workspaces_by_claim on workspaces (claim_hash) where claim_hash is not null;
create index workspaces_unclaimed on workspaces (created_at)
  where claim_hash is not null and claimed_at is null and removed_at is null;
create index workspaces_to_purge on workspaces (removed_at) where removed_at is not null and purged_at is null;

-- The address of a handle that was changed receives until then.
alter table addresses add column retires_at integer;
create index addresses_retiring on addresses (retires_at) where retires_at is not null;
update addresses set retires_at = (unixepoch() + 2592000) * 1000 where is_primary = 0;
`;
