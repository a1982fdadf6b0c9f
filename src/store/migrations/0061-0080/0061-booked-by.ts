/** Which key or connection a scheduled send came by: it is cancelled with it. */

export const kind = 'additive';

export const up = `
-- Of an API key, or with by_grant of an OAuth grant. Null: booked before this was recorded.
alter table scheduled_sends add column booked_by blob;
alter table scheduled_sends add column by_grant integer not null default 0;
alter table scheduled_sends add column cancelled_by text check (cancelled_by in ('key_ended', 'connection_ended'));
create index scheduled_by_booker on scheduled_sends (booked_by, by_grant, agent_id) where status = 'pending';
`;
