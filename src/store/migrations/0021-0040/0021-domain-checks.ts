/** Custom domains: proof of their owner's consent, what a check found, and rotated DKIM keys. */

export const kind = 'additive';

export const up = `
-- ownership_token: of custom domains. failing_since: the first check that found a verified domain broken.
-- check_result: JSON.
alter table domains add column ownership_token text;
alter table domains add column failing_since integer;
alter table domains add column check_result text;
create index domains_by_check on domains (last_checked_at);
create index unverified_domains on domains (created_at) where verified_at is null;

-- A rotated key is published until it lapses and has no private part any more; its role is 'next', so that an older
-- version does not sign with it.
alter table dkim_keys add column retired_at integer;
create index dkim_keys_by_retirement on dkim_keys (retired_at) where retired_at is not null;

-- No foreign key: a selector is not used again after its domain was removed.
create table dkim_selector_numbers (
  domain      text primary key,
  last_number integer not null
) strict, without rowid;
`;
