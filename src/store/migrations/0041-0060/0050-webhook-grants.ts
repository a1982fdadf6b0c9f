/** Which OAuth grant made a webhook endpoint: the endpoint ends with the grant. */

export const kind = 'additive';

export const up = `
-- Null: made by an API key, or before this was recorded.
alter table webhooks add column made_by_grant blob;
create index webhooks_by_grant on webhooks (made_by_grant, created_at) where made_by_grant is not null;
`;
