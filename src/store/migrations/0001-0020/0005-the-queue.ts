/** The outbound queue: due rows by index whatever is leased, by mailbox too, and what an attempt that was cut off leaves. */

export const up = `
-- Set while an attempt is under way. A row that has it at a start was cut off, and its host may have the mail.
alter table deliveries add column attempting integer not null default 0;
-- A person asked for the next attempt: what we know of the host does not hold it up.
alter table deliveries add column insisted integer not null default 0;

drop index deliveries_due;
-- A row that is leased is due when its lease ends, so that what is under way is not walked over.
create index deliveries_due on deliveries (max(next_attempt_at, leased_until)) where next_attempt_at is not null;
create index deliveries_due_by_mailbox on deliveries (mailbox_id, max(next_attempt_at, leased_until))
  where next_attempt_at is not null;
create index deliveries_leased on deliveries (leased_until) where leased_until > 0;
`;
