/** The knowledge base of the workspace: the interface's sections 2 and 4. */

import { z } from 'zod';
import {
  bodyInput,
  cursorInput,
  idOutput,
  limitInput,
  nextCursor,
  nullableLine,
  pathId,
  prose,
  timeOutput,
} from '../../kernel/fields.ts';
import { EVERYONE, field, operation, toolOnly } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { plainLine } from '../../kernel/text/clean-text.ts';
import { untrustedText } from '../../kernel/tools/untrusted-fields.ts';

/** Sources of a workspace. Each counts as one page of the plan at least. */
export const MAX_SOURCES = 5_000;

/** Titles, passages and pages are the source's text, even where an agent added it. */
const foreign = () => untrustedText(z.string(), 'source');

export const sourceShape = named(
  'KnowledgeSource',
  z.object({
    id: idOutput,
    kind: z.enum(['site', 'page', 'text']),
    url: z.string().nullable(),
    title: foreign().nullable(),
    status: z.enum(['pending', 'indexing', 'ready', 'failed']),
    error: z.string().nullable(),
    pages: z.int(),
    last_indexed_at: timeOutput.nullable(),
    created_at: timeOutput,
  }),
);

export const contentsShape = z.object({
  page_id: idOutput,
  source_id: idOutput,
  title: foreign().nullable(),
  url: z.string().nullable(),
});

const homeShape = named(
  'KnowledgeHome',
  z.object({ brief: foreign(), sources: z.array(sourceShape), contents: z.array(contentsShape) }),
);

export const hitShape = named(
  'KnowledgeHit',
  contentsShape.extend({ heading: foreign(), passage: foreign(), score: z.number() }),
);
const hitsShape = z.object({ hits: z.array(hitShape) });

const pageShape = named(
  'KnowledgePage',
  z.object({
    id: idOutput,
    source_id: idOutput,
    title: foreign().nullable(),
    url: z.string().nullable(),
    text: foreign(),
    text_chars: z.int(),
    next_offset: z.int().nullable(),
    fetched_at: timeOutput,
  }),
);

/** Characters. */
const MAX_BODY = 200_000;
const MAX_TITLE = 200;
const MAX_QUERY = 1_000;
const MAX_URL = 2_000;
const MAX_PAGE_CHARS = 500_000;
/** A tool's page of text: its reader pays per token. */
const TOOL_TEXT_CHARS = 8_000;
/** Octets of a request: the longest body, with every character as a JSON escape. */
const BODY_LIMIT = 2 * 1024 * 1024;

const queryInput = prose(z.string().trim().max(MAX_QUERY));
const limit = limitInput(25, 8);
const sourceId = pathId<'source'>('source_not_found');

/** The same form as titles of crawled pages. */
const titleInput = nullableLine(MAX_TITLE, plainLine);
const textInput = field({ empty: 'body_required' }, bodyInput(MAX_BODY));

export const knowledgeContract = {
  find: operation({
    name: 'find_knowledge',
    route: 'GET /v1/knowledge',
    scope: 'mail:read',
    summary: 'Without q, what the knowledge base has; with q, the passages that fit best.',
    input: z.strictObject({ q: queryInput.optional(), limit }),
    output: z.union([homeShape, hitsShape]),
    errors: ['overloaded'],
    tool: { none: 'get_knowledge and search_knowledge are its two sides.' },
  }),
  home: toolOnly({
    name: 'get_knowledge',
    audience: EVERYONE,
    scope: 'mail:read',
    summary: 'What the knowledge base has.',
    output: homeShape.extend({ sources_left_out: z.int() }),
    tool: { hints: { readOnly: true, idempotent: true }, returns: 'brief, sources and table of contents' },
  }),
  search: toolOnly({
    name: 'search_knowledge',
    audience: EVERYONE,
    scope: 'mail:read',
    summary: 'Searches the knowledge base: its passages that fit a question, best first.',
    input: z.strictObject({ q: prose(queryInput.min(1)), limit }),
    output: hitsShape,
    tool: { hints: { readOnly: true, idempotent: true }, returns: 'hits; cite by title, heading and url' },
  }),
  page: operation({
    name: 'get_knowledge_page',
    audience: EVERYONE,
    route: 'GET /v1/knowledge/pages/{id}',
    scope: 'mail:read',
    tool: { returns: 'the page; next_offset where there is more', defaults: { max_chars: TOOL_TEXT_CHARS } },
    summary: 'One page in full, as Markdown.',
    input: z.strictObject({
      id: pathId<'page'>('page_not_found'),
      max_chars: z.int().min(1).max(MAX_PAGE_CHARS).optional(),
      offset: z.int().min(0).default(0),
    }),
    output: pageShape,
  }),
  list: operation({
    name: 'list_knowledge_sources',
    audience: EVERYONE,
    route: 'GET /v1/knowledge/sources',
    scope: 'mail:read',
    summary: 'Lists sources, newest first, with their progress.',
    input: z.strictObject({ limit: limitInput(MAX_SOURCES, MAX_SOURCES), cursor: cursorInput }),
    output: z.object({ sources: z.array(sourceShape), next_cursor: nextCursor }),
  }),
  add: operation({
    name: 'add_knowledge_source',
    audience: EVERYONE,
    route: 'POST /v1/knowledge/sources',
    scope: 'notes',
    summary: 'Adds a source: a site or page (url) or a text (body), indexed in the background.',
    bodyLimit: BODY_LIMIT,
    tool: { hints: { openWorld: true }, returns: 'the source, pending' },
    example: { kind: 'text', body: 'We ship on Tuesdays and Fridays.', title: 'Shipping' },
    input: z.strictObject({
      kind: z.enum(['site', 'page', 'text']),
      url: z.string().trim().max(MAX_URL).optional(),
      body: textInput.optional(),
      title: titleInput.default(null),
    }),
    output: sourceShape,
    statuses: [201],
    errors: [
      'holds_a_secret',
      'vault_unavailable',
      'credentials_in_url',
      'private_url_not_allowed',
      'knowledge_limit_reached',
      'overloaded',
    ],
  }),
  get: operation({
    name: 'get_knowledge_source',
    audience: EVERYONE,
    route: 'GET /v1/knowledge/sources/{id}',
    scope: 'mail:read',
    tool: { returns: 'the source' },
    summary: 'One source, with its progress.',
    input: z.strictObject({ id: sourceId }),
    output: sourceShape,
  }),
  refresh: operation({
    name: 'refresh_knowledge_source',
    audience: EVERYONE,
    route: 'POST /v1/knowledge/sources/{id}',
    scope: 'notes',
    tool: { hints: { openWorld: true } },
    summary: 'Fetches a site or page again.',
    input: z.strictObject({ id: sourceId }),
    output: sourceShape.pick({ id: true, status: true }),
  }),
  remove: operation({
    name: 'delete_knowledge_source',
    activity: 'source.remove',
    audience: EVERYONE,
    route: 'DELETE /v1/knowledge/sources/{id}',
    scope: 'notes',
    summary: 'Deletes a source, with its pages.',
    input: z.strictObject({ id: sourceId }),
    output: z.object({ deleted: z.literal(true) }),
  }),
};
