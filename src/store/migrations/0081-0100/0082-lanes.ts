/** The lane of a delivery that the box that leads has passed to another, which sends to that destination. */

export const kind = 'additive';

export const up = `
-- Stands while leased_by does; one that is not taken yet has leased_until 0.
alter table deliveries add column lane integer;
create index deliveries_passed on deliveries (leased_by, leased_until) where lane is not null and leased_by is not null;
create index deliveries_by_lane on deliveries (lane, leased_by) where lane is not null and leased_by is not null;
`;
