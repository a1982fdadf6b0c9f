/** The knowledge base of a workspace: sources, their pages, and the passages that search finds. */

export const kind = 'additive';

export const up = `
-- One for each workspace that has had a source. number: in front of each of its terms in the full-text index, so that no
-- search of one workspace meets a row of another's. passages: how many there are, for the weight of a term.
create table knowledge_books (
  number       integer primary key,
  workspace_id blob not null unique references workspaces (id),
  passages     integer not null
) strict;

-- queued_at: since when it waits to be indexed, or is being indexed; null: neither. round: counts its crawls.
-- crawl_started_at, crawl_octets, crawl_ms: of the current round; null before it began. removed_at: its rows are being deleted.
create table knowledge_sources (
  seq              integer primary key,
  id               blob not null unique,
  workspace_id     blob not null references workspaces (id),
  kind             text not null,
  url              text,
  title            text,
  status           text not null,
  error            text,
  pages            integer not null default 0,
  last_indexed_at  integer,
  created_at       integer not null,
  queued_at        integer,
  round            integer not null default 1,
  crawl_origin     text,
  crawl_octets     integer not null default 0,
  crawl_ms         integer not null default 0,
  removed_at       integer
) strict;
create index knowledge_sources_by_workspace on knowledge_sources (workspace_id, seq);
create index knowledge_sources_due on knowledge_sources (queued_at) where queued_at is not null;
create index knowledge_sources_removed on knowledge_sources (removed_at) where removed_at is not null;

-- revision: of the passages that are current; 0: none is yet, and the page is not shown. round: the crawl that saw it last.
-- url: null for the page of a text. headings, links: JSON;
-- links: those that its crawl follows, for a round in which the page has not changed.
create table knowledge_pages (
  seq           integer primary key,
  id            blob not null unique,
  workspace_id  blob not null,
  source_seq    integer not null references knowledge_sources (seq),
  url           text,
  title         text,
  summary       text not null,
  headings      text not null,
  etag          text,
  last_modified text,
  fetched_at    integer not null,
  revision      integer not null,
  round         integer not null,
  links         text not null,
  text          text not null
) strict;
create unique index knowledge_pages_by_url on knowledge_pages (source_seq, url);
create index knowledge_pages_by_source on knowledge_pages (source_seq, seq);

create table knowledge_passages (
  seq      integer primary key,
  page_seq integer not null references knowledge_pages (seq),
  revision integer not null,
  heading  text not null,
  is_lead  integer not null,
  text     text not null
) strict;
create index knowledge_passages_by_page on knowledge_passages (page_seq, revision);

-- What a crawl knows of its site. state: waiting, done or failed.
create table knowledge_urls (
  seq        integer primary key,
  source_seq integer not null references knowledge_sources (seq),
  url        text not null,
  depth      integer not null,
  state      text not null
) strict;
create unique index knowledge_urls_by_url on knowledge_urls (source_seq, url);
create index knowledge_urls_by_state on knowledge_urls (source_seq, state, depth, seq);

-- Terms come stemmed and folded, each with the number of its workspace (kernel/text/terms.ts); the text stands in
-- knowledge_passages alone.
create virtual table knowledge_index using fts5 (
  title, heading, lead, body, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
`;
