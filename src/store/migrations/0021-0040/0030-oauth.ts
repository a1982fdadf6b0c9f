/** OAuth: registered clients, what owners granted to clients, and the codes, tokens and requests of each. */

export const kind = 'additive';

export const up = `
-- Clients of dynamic registration (RFC 7591), as JSON; a client secret stands in it as its hash.
create table oauth_clients (
  id           text primary key,
  metadata     text not null,
  created_at   integer not null,
  last_used_at integer not null
) strict, without rowid;
create index oauth_clients_by_use on oauth_clients (last_used_at);

-- An owner's consent to a client. agents: a JSON array of ids; null: every agent that the owner has.
-- expires_at: of the last of its tokens.
create table oauth_grants (
  id            blob primary key,
  owner_id      blob not null references owners (id),
  client_id     text not null,
  client_name   text not null,
  redirect_host text not null,
  scopes        text not null,
  is_offline    integer not null,
  agents        text,
  created_at    integer not null,
  last_used_at  integer,
  expires_at    integer not null
) strict, without rowid;
create index oauth_grants_by_owner on oauth_grants (owner_id, created_at);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_by_end on oauth_grants (expires_at);

-- Authorization requests, codes, access and refresh tokens. Keyed by the hash of the value that the client holds.
create table oauth_records (
  kind        text not null,
  hash        blob not null,
  grant_id    blob,
  payload     text not null,
  expires_at  integer not null,
  consumed_at integer,
  primary key (kind, hash)
) strict, without rowid;
create index oauth_records_by_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_by_end on oauth_records (expires_at);
`;
