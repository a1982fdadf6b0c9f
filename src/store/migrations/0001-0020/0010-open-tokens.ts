/** Opens are counted by a token of their own, which a mail has only where its sender asked for it. */

export const up = `
-- 16 random bytes, base64url; null: opens are not counted.
alter table messages add column open_token text;
create unique index messages_by_open_token on messages (open_token) where open_token is not null;
`;
