/** Until when an endpoint has asked to be sent nothing. */

export const kind = 'additive';

export const up = `
-- By Retry-After; null or past: it is sent what is due.
alter table webhooks add column deferred_until integer;
`;
