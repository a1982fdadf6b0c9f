/** Custom domains that send alone: their mail is received by another server. */

export const kind = 'additive';

export const up = `
alter table domains add column receives integer not null default 1;
`;
