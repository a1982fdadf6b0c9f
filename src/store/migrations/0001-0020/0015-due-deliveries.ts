/** When a delivery is due, as a column of its own, and the run of the daemon that has leased it. */

/** An older version would queue deliveries without the time that they are due. */
export const kind = 'breaking';

export const up = `
-- due_at: the later of next_attempt_at and leased_until; null once next_attempt_at is. leased_by: a run's id; null: none.
alter table deliveries add column due_at integer;
alter table deliveries add column leased_by blob;
update deliveries set due_at = max(next_attempt_at, leased_until) where next_attempt_at is not null;

drop index deliveries_due;
drop index deliveries_due_by_mailbox;
create index deliveries_due on deliveries (due_at) where due_at is not null;
create index deliveries_due_by_mailbox on deliveries (mailbox_id, due_at) where due_at is not null;
`;
