/** A list with search and pages, and its open entry, named by the address. */

import type { ComponentChildren, JSX } from 'preact';
import { useLocation, useParams } from 'wouter-preact';
import type { CallOptions } from '../api/client.ts';
import { useLoaded, useRefresh } from '../api/loaded.ts';
import { Show } from '../components/blocks.tsx';
import { Pager, usePaged } from '../components/pager.tsx';
import { useSearchText } from './search-text.ts';
import { useSteps } from './steps.ts';

const PAGE = 50;

interface PageInput {
  limit: number;
  q?: string;
  cursor?: string;
}

interface SearchedNeeds<Row, Shown> {
  /** An entry of the list, as text. */
  what: string;
  /** The list's path; entries are below it. */
  href: string;
  loadPage(input: PageInput, options: CallOptions): Promise<{ rows: Row[]; next_cursor: string | null }>;
  loadOne(id: string, options: CallOptions): Promise<Shown>;
}

export const useSearched = <Row extends { id: string }, Shown>(needs: SearchedNeeds<Row, Shown>) => {
  const { what, href, loadPage, loadOne } = needs;
  /** The open entry's id; undefined: none is open. */
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const { q, find } = useSearchText();
  const { page, pages, isFirst } = usePaged(`${href} ${q}`, (at, options) =>
    loadPage({ limit: PAGE, ...(q !== '' && { q }), ...at }, options),
  );
  const shown = useLoaded((signal) => loadOne(id ?? '', { signal }), id === undefined ? null : `${href}/${id}`);
  useRefresh(page, shown);
  const rows = page.value?.rows ?? [];
  const hrefOf = (of: string): string => `${href}/${of}`;
  useSteps({ what, links: rows.map((row) => hrefOf(row.id)), at: rows.findIndex((row) => row.id === id), list: href });
  return {
    id,
    find,
    q,
    page,
    pages,
    shown,
    hrefOf,
    /** Whether the list is empty, so that there is nothing to search. */
    isBare: page.value !== null && rows.length === 0 && q === '' && isFirst,
    /** Opens a new entry. */
    open: async (made: { id: string }): Promise<void> => {
      await page.reload();
      go(hrefOf(made.id));
    },
    reload: async (): Promise<void> => {
      await Promise.all([page.reload(), shown.reload()]);
    },
  };
};

interface RowsProps<Row extends { id: string }> {
  of: Pick<ReturnType<typeof useSearched<Row, unknown>>, 'page' | 'pages'>;
  /** As in "The contacts did not load". */
  what: string;
  label: string;
  empty: ComponentChildren;
  children: (row: Row) => JSX.Element;
}

/** The rows of a page, or their placeholder. */
export const SearchedRows = <Row extends { id: string }>({
  of: { page, pages },
  what,
  label,
  empty,
  children,
}: RowsProps<Row>) => (
  <Show loaded={page} what={what} lines={8}>
    {({ rows, next_cursor }) =>
      rows.length === 0 ? (
        empty
      ) : (
        <>
          <nav aria-label={label}>{rows.map(children)}</nav>
          <Pager {...pages} next={next_cursor} />
        </>
      )
    }
  </Show>
);
