/** Who wrote the words that a note has, and how often they were changed. */

export const kind = 'additive';

export const up = `
-- maker_id: the agent, or the OAuth grant. maker_name: its handle, the client's name, or the person, as it was then.
-- Null: written before this was recorded.
alter table notes add column maker_kind text check (maker_kind in ('agent', 'connection', 'person'));
alter table notes add column maker_id blob;
alter table notes add column maker_name text;
alter table notes add column revision integer not null default 1;
`;
