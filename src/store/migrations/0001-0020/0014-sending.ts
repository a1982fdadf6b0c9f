/** Retries of bookings, where answers to held mail go, and the filters of the list of messages. */

export const up = `
-- due_at: when it is tried next: the time that was asked for, or later after a fault of the instance.
alter table scheduled_sends add column attempts integer not null default 0;
alter table scheduled_sends add column due_at integer not null default 0;
update scheduled_sends set due_at = send_at;
drop index scheduled_due;
create index scheduled_due on scheduled_sends (due_at) where status = 'pending';

alter table pending_sends add column reply_to text not null default '[]';

create index messages_by_direction on messages (mailbox_id, direction, created_at);
create index messages_by_author on messages (mailbox_id, lower(from_address), created_at);
`;
