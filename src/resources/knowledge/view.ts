/** Stored sources, pages and passages in the interface's shape. */

import { isoTime } from '../../kernel/clock.ts';
import type { SourceId } from '../../kernel/ids.ts';
import { pageOfText } from '../../kernel/text/text-page.ts';
import type { Source } from '../../store/knowledge/knowledge-mappings.ts';
import type { PageRow } from '../../store/knowledge/pages.ts';
import type { PassageHit } from '../../store/search/passages/passage-search.ts';
import type { SourceView } from './contract.ts';

export const viewSource = (source: Source): SourceView => ({
  id: source.id,
  kind: source.kind,
  url: source.url,
  title: source.title,
  status: source.status,
  error: source.error,
  pages: source.pages,
  last_indexed_at: source.lastIndexedAt === null ? null : isoTime(source.lastIndexedAt),
  created_at: isoTime(source.createdAt),
});

export const viewContents = ({ id, title, url }: PageRow, sourceId: SourceId) => ({
  page_id: id,
  source_id: sourceId,
  title,
  url,
});

export const viewHit = ({ pageId, sourceId, title, url, heading, text, score }: PassageHit) => ({
  page_id: pageId,
  source_id: sourceId,
  title,
  url,
  heading,
  passage: text,
  score: Number(score.toPrecision(4)),
});

export const viewPage = (
  page: Omit<PageRow, 'sourceSeq'> & { sourceId: SourceId; text: string },
  offset: number,
  maxChars: number | undefined,
) => ({
  id: page.id,
  source_id: page.sourceId,
  title: page.title,
  url: page.url,
  ...pageOfText(page.text, offset, maxChars),
  fetched_at: isoTime(page.fetchedAt),
});
