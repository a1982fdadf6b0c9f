/** How much mail a workspace keeps: what the night measured, and what came on each day. */

export const kind = 'additive';

export const up = `
-- Bytes of mail from before mail_bytes_day, the start of a UTC day; 0: not measured yet.
alter table workspaces add column mail_bytes integer not null default 0;
alter table workspaces add column mail_bytes_day integer not null default 0;
-- The start of the UTC day on which its owners were last told that it takes no more.
alter table workspaces add column full_told_day integer not null default 0;
-- Of mail that was received.
alter table mail_days add column bytes integer not null default 0;
`;
