/** What a database of this engine has beside the tables of the migrations: functions of SQLite, and its indexes of words. */

import type { Migration } from '../migrations.ts';

/** Built of rows that are there, it takes a tenth of the time of row by row. */
export const MESSAGE_INDEX = 'create index if not exists message_words_by_word on message_words using gin (words)';

/**
 * Steps that a database alone takes, behind those of both engines. Each change of what search/message-words.ts indexes is one:
 * the index is made again, and an older version no longer works beside it.
 */
export const OWN_MIGRATIONS: readonly Migration[] = [
  { name: 'postgres-0001-words-of-ranges', kind: 'breaking', up: 'truncate message_words;' },
  {
    name: 'postgres-0002-boxes',
    kind: 'additive',
    // The connection of a daemon that serves beside another.
    up: `create table boxes (
      run_id uuid primary key, pid integer not null, since timestamptz not null, ending boolean not null default false);`,
  },
  {
    name: 'postgres-0003-drawn-requests',
    kind: 'additive',
    // A row for each key, which a crash of the server empties.
    up: `create unlogged table drawn_requests (
      key text primary key, reset_at bigint not null, taken integer not null, drawn integer not null);`,
  },
  { name: 'postgres-0004-words-without-blanks', kind: 'breaking', up: 'truncate message_words;' },
];

/** How many transactions each process has committed. Who asks does so within the minute. */
export const COMMITS = `
create table if not exists commits (writer uuid primary key, count bigint not null, at timestamptz not null default now());
delete from commits where at < now() - interval '1 day'`;

export const OWN_SCHEMA = `
create function hex(bytea) returns text language sql immutable parallel safe
  return coalesce(upper(encode($1, 'hex')), '');
create function zeroblob(integer) returns bytea language sql immutable parallel safe
  return decode(repeat('00', $1), 'hex');

-- Of mail: the lexemes of search/message-words.ts, without places.
create table message_words (seq bigint primary key, words tsvector not null);
${MESSAGE_INDEX};

-- Of passages: the terms of each, with the number of its book.
create table passage_words (seq bigint primary key, words tsvector not null);
create index passage_words_by_word on passage_words using gin (words);

-- Of contacts and notes: store/search/word-index.ts.
create table contact_terms (seq bigint not null, term text collate "C" not null, primary key (seq, term));
create index contact_terms_by_term on contact_terms (term, seq);
create table note_terms (seq bigint not null, term text collate "C" not null, primary key (seq, term));
create index note_terms_by_term on note_terms (term, seq);
`;

/** A row where the server compares the vectors of passages: the column goes with the extension. */
export const HAS_VECTORS = `
  select from pg_attribute where attrelid = to_regclass('knowledge_vectors') and attname = 'compared' and not attisdropped`;
/** A row where the database has the extension pgvector, and not yet what follows. */
export const LACKS_VECTORS = `select from pg_type where oid = to_regtype('vector') and not exists (${HAS_VECTORS})`;
/** The server then compares the vectors of passages itself, by a column that it makes of their octets (-127 to 127). */
export const VECTORS = `
create or replace function to_vector(bytea) returns vector language sql immutable parallel safe
  return array(select (get_byte($1, at) # 128) - 128 from generate_series(0, length($1) - 1) at)::vector;
alter table knowledge_vectors add column compared vector generated always as (to_vector(vector)) stored`;

/** Of keys that have not called for a day. */
export const FORGET_REQUESTS = `delete from drawn_requests where reset_at < extract(epoch from now() - interval '1 day') * 1000`;

/** Rows of words go with the rows that they are of; made when the tables of the migrations are there. */
export const OWN_TRIGGERS = ['contact', 'note']
  .map(
    (of) => `
create function ${of}_terms_removed() returns trigger language plpgsql as $$ begin
  delete from ${of}_terms where seq = old.seq; return null; end $$;
create trigger ${of}_terms_removed after delete on ${of}s for each row execute function ${of}_terms_removed();`,
  )
  .join('');
