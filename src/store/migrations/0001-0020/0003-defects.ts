/** What a mail was found to have against the standard, or what could not be read of it. */

export const up = `
-- A JSON list of words.
alter table messages add column defects text not null default '[]';
`;
