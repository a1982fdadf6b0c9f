/** A grant of a secret says whether its agent reads the seed of its one-time codes. */

export const up = `
-- 1: the seed stands in the opened secret. 0: its codes alone are given.
alter table secret_grants add column with_seed integer not null default 0;
`;
