/** The held mail of one mailbox in a span of time, decided or not. */

export const kind = 'additive';

export const up = `
create index pending_sends_by_time on pending_sends (mailbox_id, created_at);
`;
