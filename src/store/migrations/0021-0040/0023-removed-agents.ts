/** What a removed agent leaves behind: its work is ended, and its mail is deleted after a while. */

export const kind = 'additive';

export const up = `
-- When a removed agent is next looked at: its queued mail is cancelled, then its mail is deleted. Null: nothing is left.
alter table agents add column cleanup_at integer;
update agents set cleanup_at = removed_at where removed_at is not null;
create index agents_by_cleanup on agents (cleanup_at) where cleanup_at is not null;

create index pending_sends_by_mailbox on pending_sends (mailbox_id);
create index scheduled_sends_by_mailbox on scheduled_sends (mailbox_id);
create index webhooks_by_mailbox on webhooks (mailbox_id) where mailbox_id is not null;
`;
