/** Held mail that is approved waits a moment, in which an owner may undo; and what an owner edited of it. */

export const kind = 'additive';

export const up = `
-- When approved mail goes, while its row is still pending; null: it awaits a decision, or has one.
alter table pending_sends add column release_at integer;
-- JSON of the subject, text and recipients as the agent wrote them; null: not edited.
alter table pending_sends add column original text;
-- Unified diff from there to what the owner made of it; null: not edited.
alter table pending_sends add column changes text;
create index pending_releases on pending_sends (release_at) where release_at is not null;
`;
