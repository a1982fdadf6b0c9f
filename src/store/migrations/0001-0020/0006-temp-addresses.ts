/** Disposable addresses: mailboxes of an agent that only receive, and end. */

export const up = `
-- What the agent calls it.
alter table mailboxes add column label text;
create index mailboxes_expiring on mailboxes (expires_at) where expires_at is not null;
`;
