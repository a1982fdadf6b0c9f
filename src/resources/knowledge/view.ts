/** Stored sources, pages and passages in the interface's shape. */

import { viewOf } from '../../access/view-of.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { SourceId } from '../../kernel/ids.ts';
import { pageOfText } from '../../kernel/text/text-page.ts';
import type { PageRow } from '../../store/knowledge/pages.ts';
import type { PassageHit } from '../../store/search/passages/passage-search.ts';
import { contentsShape, hitShape, sourceShape } from './contract.ts';

export const viewSource = viewOf(sourceShape);

export const viewContents = viewOf(contentsShape, ({ id }: PageRow, sourceId: SourceId) => ({
  page_id: id,
  source_id: sourceId,
}));

export const viewHit = viewOf(hitShape, ({ text, score }: PassageHit) => ({
  passage: text,
  score: Number(score.toPrecision(4)),
}));

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
