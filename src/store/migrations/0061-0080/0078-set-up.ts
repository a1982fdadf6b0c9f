/** Whether a person is past the first steps. */

export const up = `
-- When they put the list of first steps away, or had done them all; null: the console opens with it.
alter table owners add column set_up_away_at integer;
-- Who was here before has begun already.
update owners set set_up_away_at = created_at;
`;
