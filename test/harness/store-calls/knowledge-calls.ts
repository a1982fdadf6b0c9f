import * as urls from '../../../src/store/knowledge/crawl-urls.ts';
import * as embeddings from '../../../src/store/knowledge/embeddings.ts';
import type { Source } from '../../../src/store/knowledge/knowledge-mappings.ts';
import * as pages from '../../../src/store/knowledge/pages.ts';
import * as removal from '../../../src/store/knowledge/removal.ts';
import * as sources from '../../../src/store/knowledge/sources.ts';
import { type CallContext, type CallsOf, unknownId } from './call.ts';

const inserted = ({ tx, small, now }: CallContext): Promise<Source> => {
  const { workspaceId, newId } = small;
  return sources.insertSource(tx, {
    ...{ id: newId<'source'>(), workspaceId, kind: 'site', url: 'https://site.test/', title: null },
    ...{ status: 'pending', error: null, pages: 0, lastIndexedAt: null, createdAt: now, queuedAt: now, round: 1 },
    ...{ crawlOrigin: null, crawlOctets: 0, crawlMs: 0, removedAt: null },
  });
};

const withEmptyPage = async (context: CallContext): Promise<{ source: Source; page: number }> => {
  const { tx, small, now } = context;
  const source = await inserted(context);
  const page = await pages.insertPage(tx, {
    ...{ id: small.newId<'page'>(), workspaceId: small.workspaceId, sourceSeq: source.seq, url: 'https://site.test/' },
    ...{ title: 'T', summary: '', headings: [], links: [], etag: null, lastModified: null, fetchedAt: now },
    ...{ revision: 1, round: 1, text: 'T' },
  });
  return { source, page };
};

const withPage = async (context: CallContext): Promise<{ source: Source; page: number }> => {
  const { tx } = context;
  const { source, page } = await withEmptyPage(context);
  const terms = { title: '1_t', heading: '', lead: '1_t', body: '' };
  await pages.insertPassages(tx, page, 1, [{ heading: '', isLead: true, text: 'T', terms }]);
  return { source, page };
};

export const sourceCalls: CallsOf<typeof sources> = {
  insertSource: inserted,
  findBook: ({ db, small }) => sources.findBook(db, small.workspaceId),
  findSource: ({ db, small }) => sources.findSource(db, small.workspaceId, unknownId()),
  findSourceBySeq: ({ db }) => sources.findSourceBySeq(db, 1),
  listNewestSources: ({ db, small }) => sources.listNewestSources(db, small.workspaceId, 9, 10),
  listQueuedSources: ({ db, small }) => sources.listQueuedSources(db, small.workspaceId, 10),
  listSources: ({ db, small }) => sources.listSources(db, small.workspaceId, 10),
  countKnowledge: ({ db, small }) => sources.countKnowledge(db, small.workspaceId),
  updateSource: async (context) => sources.updateSource(context.tx, await inserted(context), { title: 'T' }),
  addToPages: ({ tx }) => sources.addToPages(tx, 1, 1),
  listDueSources: ({ db }) => sources.listDueSources(db, 10),
  setSourceRemoved: ({ tx, now }) => sources.setSourceRemoved(tx, 1, now),
  listRemovedSources: ({ db }) => sources.listRemovedSources(db, 10),
  countRemovedSources: ({ db, small }) => sources.countRemovedSources(db, small.workspaceId, 10),
  findAnySource: ({ db, small }) => sources.findAnySource(db, small.workspaceId),
};

export const pageCalls: CallsOf<typeof pages> = {
  insertPage: withEmptyPage,
  updatePage: async (context) => pages.updatePage(context.tx, (await withEmptyPage(context)).page, { round: 2 }),
  findPageByUrl: async ({ db }) => [
    await pages.findPageByUrl(db, 1, 'https://site.test/'),
    await pages.findPageByUrl(db, 1, null),
  ],
  findPage: ({ db, small }) => pages.findPage(db, small.workspaceId, unknownId()),
  findPageText: ({ db }) => pages.findPageText(db, 1),
  findPageLinks: ({ db }) => pages.findPageLinks(db, 1),
  countPagesOfRound: ({ db }) => pages.countPagesOfRound(db, 1, 1),
  listPages: ({ db }) => pages.listPages(db, 1, 10),
  listOutdatedPages: ({ db }) => pages.listOutdatedPages(db, 1, 2, 10),
  deletePage: ({ tx }) => pages.deletePage(tx, 0),
  insertPassages: withPage,
  deletePassages: async (context) => {
    const { page } = await withPage(context);
    return [
      await pages.deletePassages(context.tx, page, 1, 10),
      await pages.deletePassages(context.tx, page, null, 10),
    ];
  },
};

export const crawlUrlCalls: CallsOf<typeof urls> = {
  addCrawlUrl: async (context) => {
    const { seq: sourceSeq } = await inserted(context);
    return urls.addCrawlUrl(context.tx, { sourceSeq, url: 'https://site.test/a', depth: 1, state: 'waiting' });
  },
  nextCrawlUrl: ({ db }) => urls.nextCrawlUrl(db, 1),
  setCrawlUrlState: async (context) => {
    const { seq: sourceSeq } = await inserted(context);
    const url = { sourceSeq, url: 'https://site.test/a', depth: 1 };
    await urls.setCrawlUrlState(context.tx, url, 'done');
    await urls.setCrawlUrlState(context.tx, url, 'failed');
  },
  isCrawlUrlDone: ({ db }) => urls.isCrawlUrlDone(db, 1, 'https://site.test/a'),
  countCrawlUrls: ({ db }) => urls.countCrawlUrls(db, 1),
  deleteCrawlUrls: ({ tx }) => urls.deleteCrawlUrls(tx, 1, 10),
};

export const removalCalls: CallsOf<typeof removal> = {
  deleteSomeOfSource: async (context) => {
    const { source } = await withPage(context);
    return [
      await removal.deleteSomeOfSource(context.tx, source.seq, 10),
      await removal.deleteSomeOfSource(context.tx, source.seq, 10),
    ];
  },
};

export const embeddingCalls: CallsOf<typeof embeddings> = {
  findEmbeddingModel: ({ db }) => embeddings.findEmbeddingModel(db),
  useEmbeddingModel: ({ tx }) => embeddings.useEmbeddingModel(tx, { name: 'm', dimensions: 4 }),
  listUnembedded: ({ db }) => embeddings.listUnembedded(db, 1, 10),
  countUnembedded: ({ db }) => embeddings.countUnembedded(db, 1, 10),
  storeVectors: async (context) => {
    await withPage(context);
    const lacking = await embeddings.listUnembedded(context.tx.db, 1, 10);
    const passages = lacking.map((passage) => ({ ...passage, vector: Buffer.alloc(4, 1) }));
    if (passages.length === 0) throw new Error('No passage lacks a vector.');
    return embeddings.storeVectors(context.tx, 1, passages);
  },
};
