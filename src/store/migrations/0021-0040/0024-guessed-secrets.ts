/** Held mail that holds a secret which its agent may not open is counted. */

export const kind = 'additive';

export const up = `
-- 1: it holds a secret that was not granted to its agent.
alter table pending_sends add column not_granted integer not null default 0;
create index pending_not_granted on pending_sends (agent_id, created_at) where not_granted = 1;
`;
