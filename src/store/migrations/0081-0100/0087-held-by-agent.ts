/** Counts held mail by agent without its rows, which hold the bytes: SQLite reads all of them for a later column. */

export const kind = 'additive';

export const up = `
create index pending_by_agent on pending_sends (workspace_id, agent_id, release_at, created_at, expires_at)
  where status = 'pending';
`;
