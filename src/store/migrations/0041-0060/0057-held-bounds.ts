/** Bounds of held mail: of what is open in a mailbox, and of what an owner is told one by one. */

export const kind = 'additive';

export const up = `
-- Has all that the bound of a mailbox asks for: the rows themselves hold whole mails before their sizes.
create index pending_sizes on pending_sends (mailbox_id, size, expires_at) where status = 'pending';
create index pending_by_workspace on pending_sends (workspace_id, created_at, id) where status = 'pending';

-- Notices of held mail for an owner within the hour that begins at "hour".
create table held_notice_hours (
  owner_email text not null,
  hour        integer not null,
  count       integer not null,
  primary key (owner_email, hour)
) strict, without rowid;
create index held_notice_hours_by_hour on held_notice_hours (hour);
`;
