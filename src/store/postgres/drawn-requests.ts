/**
 * Requests of a key in a window of time, which boxes draw some at a time: each box counts the rest by itself. What a draw
 * takes gets smaller with what is left, so that little is left unused at a box when another refuses.
 */

import type pg from 'pg';
import type { DrawRequests } from '../store.ts';

/** A whole window takes some sixty draws. */
const SHARE = 12;
const shareOf = (left: string): string => `least($5::int, greatest(1, ${left} / ${SHARE}))`;

/**
 * The bounds are $2: the limit, $3: now, $4: the window, $5: the most. A window that ends much later than its length allows was opened
 * before the clock was set back; a little later, by a box with another clock.
 */
const DRAW = `
insert into drawn_requests as d (key, reset_at, taken, drawn)
values ($1, $3::bigint + $4::bigint, ${shareOf('$2::int')}, ${shareOf('$2::int')})
on conflict (key) do update set (reset_at, taken, drawn) = (
  select reset_at, taken + share, share from (
    select reset_at, taken, least($2 - taken, ${shareOf('($2 - taken)')}) as share from (
      select case when is_open then d.reset_at else excluded.reset_at end as reset_at, case when is_open then d.taken else 0 end as taken
      from (select d.reset_at > $3 and d.reset_at <= $3 + 2 * $4 as is_open) as window_of
    ) as now_open
  ) as shared
)
returning reset_at as "resetAt", drawn as count, $2::int - taken as left`;

/** Not a unit of work: it waits for no other write, and is not on the disk. */
export const createDrawRequests =
  (query: (query: pg.QueryConfig) => Promise<pg.QueryResult>): DrawRequests =>
  async (key, { limit, most, now, windowMs }) => {
    const { rows } = await query({ name: 'draw requests', text: DRAW, values: [key, limit, now, windowMs, most] });
    return rows[0];
  };
