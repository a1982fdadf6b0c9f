/** Which filter rules a person made. */

export const kind = 'additive';

export const up = `
-- 0 also for those from before, of which it was not recorded.
alter table rules add column by_person integer not null default 0;
`;
