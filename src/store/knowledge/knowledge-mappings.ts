/** The tables of the knowledge base. What each column promises stands beside it in migrations/. */

import { buffer, type Entity, flag, id, json, mapping, number, text } from '../mapping.ts';

export type SourceKind = 'site' | 'page' | 'text';
export type SourceStatus = 'pending' | 'indexing' | 'ready' | 'failed';
export type UrlState = 'waiting' | 'done' | 'failed';

export const knowledgeBooks = mapping('knowledge_books', {
  number: number().defaulted(),
  workspaceId: id<'workspace'>(),
  passages: number(),
});

export const knowledgeSources = mapping('knowledge_sources', {
  /** Given by the store alone. */
  seq: number().defaulted(),
  id: id<'source'>(),
  workspaceId: id<'workspace'>(),
  kind: text<SourceKind>(),
  url: text().nullable(),
  title: text().nullable(),
  status: text<SourceStatus>(),
  error: text().nullable(),
  pages: number(),
  lastIndexedAt: number().nullable(),
  createdAt: number(),
  queuedAt: number().nullable(),
  round: number(),
  crawlOrigin: text().nullable(),
  crawlOctets: number(),
  crawlMs: number(),
  removedAt: number().nullable(),
});
export type Source = Entity<typeof knowledgeSources>;

export const knowledgePages = mapping('knowledge_pages', {
  seq: number().defaulted(),
  id: id<'page'>(),
  workspaceId: id<'workspace'>(),
  sourceSeq: number(),
  url: text().nullable(),
  title: text().nullable(),
  summary: text(),
  headings: json<string[]>(),
  etag: text().nullable(),
  lastModified: text().nullable(),
  fetchedAt: number(),
  revision: number(),
  round: number(),
  links: json<string[]>(),
  text: text(),
});
export type StoredPage = Entity<typeof knowledgePages>;

export const knowledgePassages = mapping('knowledge_passages', {
  seq: number().defaulted(),
  pageSeq: number(),
  revision: number(),
  heading: text(),
  isLead: flag(),
  text: text(),
  embeddedBy: number().defaulted(),
});

export const embeddingModels = mapping('embedding_models', {
  number: number().defaulted(),
  name: text(),
  dimensions: number(),
});
export type EmbeddingModel = Entity<typeof embeddingModels>;

export const knowledgeVectors = mapping('knowledge_vectors', {
  book: number(),
  passageSeq: number(),
  model: number(),
  vector: buffer(),
}).keyedBy('book', 'passageSeq');

export const knowledgeUrls = mapping('knowledge_urls', {
  seq: number().defaulted(),
  sourceSeq: number(),
  url: text(),
  depth: number(),
  state: text<UrlState>(),
});
export type CrawlUrl = Entity<typeof knowledgeUrls>;
