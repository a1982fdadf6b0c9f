/** The filters of the activity log, which the address holds, and the export of their results. */

import { useSearchParams } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { toCsv } from '../api/csv.ts';
import { save } from '../api/save.ts';
import { count } from '../components/format.ts';

export const FILTERS = ['q', 'who', 'action', 'from', 'to'] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;
export const NO_FILTERS: Filters = { q: '', who: '', action: '', from: '', to: '' };

/** The address holds the filters, so that a link shows the same results. */
export const useFilters = (): [Filters, (changed: Partial<Filters>) => void] => {
  const [params, setParams] = useSearchParams();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) ?? ''])) as unknown as Filters;
  const set = (changed: Partial<Filters>): void =>
    setParams(
      Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== ''),
      { replace: true },
    );
  return [filters, set];
};

/** The reader's midnight of the field's day, or of the day after; undefined for an invalid day. */
const midnight = (day: string, after = 0): string | null => {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const at = new Date(year, month - 1, date + after);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
};

export const toInput = ({ q, who, action, from, to }: Filters) => {
  const [since, until] = [midnight(from), midnight(to, 1)];
  return {
    ...(q !== '' && { q }),
    ...(who !== '' && { actor: who }),
    ...(action !== '' && { action }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  };
};

const EXPORTED = 500;
const MOST_EXPORTED = 20_000;

/** Exports page by page, up to the size that a spreadsheet can use. */
export const exportActs = async (filters: Filters): Promise<string> => {
  const rows: string[][] = [['at', 'who', 'action', 'subject', 'mail', 'note', 'via', 'detail']];
  let cursor: string | null = null;
  do {
    const page: Answer<'activity', 'list'> = await api.activity.list({
      ...toInput(filters),
      limit: EXPORTED,
      ...(cursor !== null && { cursor }),
    });
    for (const { at, actor, action, subject, via, detail, mail } of page.activity) {
      rows.push([at, actor, action, subject, mail?.subject ?? '', mail?.note ?? '', via, JSON.stringify(detail)]);
    }
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < MOST_EXPORTED);
  save([toCsv(rows)], { name: 'activity.csv', type: 'text/csv' });
  return cursor === null ? `${count(rows.length - 1)} acts exported` : `The newest ${count(rows.length - 1)} exported`;
};
