/** Invitations: a person becomes an owner of a workspace by a link that is mailed, and not without it. */

export const kind = 'additive';

export const up = `
-- Keyed by the hash of the link's secret. ended_at: when it was accepted, withdrawn, or replaced by a later one.
create table owner_invitations (
  hash         blob primary key,
  workspace_id blob not null references workspaces (id),
  email        text not null,
  invited_by   text not null,
  created_at   integer not null,
  expires_at   integer not null,
  ended_at     integer
) strict, without rowid;
create index owner_invitations_of_workspace on owner_invitations (workspace_id, created_at);
create index owner_invitations_by_email on owner_invitations (email, created_at);
create index owner_invitations_by_time on owner_invitations (created_at);
`;
