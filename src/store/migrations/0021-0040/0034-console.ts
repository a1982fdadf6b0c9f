/** What the owners' console shows and checks. */

export const up = `
-- How a mail that went out came to the gate: REST, MCP, submission, console, daemon. Null: it came in, or is older.
alter table messages add column via text;
-- SHA-256 of the envelope and the bytes that a person approved; checked before each attempt. Null: no person did.
alter table messages add column approved_digest blob;

-- Recipients of mail that was accepted for sending, and of deliveries that ended well.
alter table outcomes add column sent integer not null default 0;
alter table outcomes add column delivered integer not null default 0;

create index pending_decided on pending_sends (workspace_id, decided_at, id) where decided_at is not null;

-- Passkeys of owners (WebAuthn credentials).
create table passkeys (
  -- The credential's id, as the authenticator chose it.
  id blob primary key,
  owner_id blob not null,
  name text not null,
  -- COSE.
  public_key blob not null,
  -- As the authenticator counts its uses; 0 where it does not.
  counter integer not null,
  -- JSON.
  transports text not null,
  created_at integer not null,
  last_used_at integer
) strict, without rowid;
create index passkeys_by_owner on passkeys (owner_id, created_at);
`;
