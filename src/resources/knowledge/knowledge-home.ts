/** The content of a knowledge base: its brief, its sources, and a table of contents. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { type BriefSource, composeBrief } from '../../knowledge/brief.ts';
import type { Source } from '../../store/knowledge/knowledge-mappings.ts';
import { listPages, type PageRow } from '../../store/knowledge/pages.ts';
import { listSources } from '../../store/knowledge/sources.ts';
import type { Db } from '../../store/store.ts';
import { MAX_SOURCES } from './contract.ts';
import { viewContents, viewSource } from './view.ts';

/** Pages of a table of contents, in all and per source where there are several. */
const MAX_CONTENTS = 500;
const LEAST_OF_SOURCE = 20;
/** Pages of a source that the brief may list. */
const BRIEF_PAGES = 20;

const toBriefSource = ({ title, url, pages: count }: Source, pages: readonly PageRow[]): BriefSource => ({
  title,
  url,
  count,
  pages: pages.slice(0, BRIEF_PAGES),
});

export const readHome = async (db: Db, workspaceId: WorkspaceId) => {
  const sources = await listSources(db, workspaceId, MAX_SOURCES);
  const ofSource = Math.max(LEAST_OF_SOURCE, Math.floor(MAX_CONTENTS / Math.max(sources.length, 1)));
  const contents: ReturnType<typeof viewContents>[] = [];
  const told: BriefSource[] = [];
  for (const source of sources) {
    // Each has filled a place of the contents, and a line of the brief.
    if (told.length === MAX_CONTENTS) break;
    if (source.pages === 0) continue;
    const pages = await listPages(db, source.seq, ofSource);
    told.push(toBriefSource(source, pages));
    contents.push(...pages.slice(0, MAX_CONTENTS - contents.length).map((page) => viewContents(page, source.id)));
    await yieldToLoop();
  }
  return { brief: composeBrief(told), sources: sources.map(viewSource), contents };
};
