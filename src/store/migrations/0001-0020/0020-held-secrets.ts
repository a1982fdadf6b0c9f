/** Those who decide about a held mail are told which secrets it holds, and where. */

export const kind = 'additive';

export const up = `
-- JSON: the name of each secret and the parts of the mail that hold it; no value.
alter table pending_sends add column secrets text not null default '[]';
`;
