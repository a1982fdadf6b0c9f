/** Vectors of passages, where an endpoint for embeddings is configured. */

export const kind = 'additive';

export const up = `
-- The last one is in use. A model that is configured again after another is a new row: its vectors were replaced.
create table embedding_models (
  number     integer primary key,
  name       text not null,
  dimensions integer not null
) strict;

-- The number of the model that has seen the passage, whether it has a vector or the endpoint refused its text; 0: none has.
alter table knowledge_passages add column embedded_by integer not null default 0;
create index knowledge_passages_by_model on knowledge_passages (embedded_by);

-- An ordinary table: it is read, copied and deleted from where the extension that compares vectors is not loaded. The key
-- begins with the workspace's book, so that a search reads the vectors of its workspace alone.
-- vector: of length 1, each number as an octet, -127 to 127 for -1 to 1.
create table knowledge_vectors (
  book        integer not null,
  passage_seq integer not null references knowledge_passages (seq) on delete cascade,
  model       integer not null,
  vector      blob not null,
  primary key (book, passage_seq)
) strict, without rowid;
create unique index knowledge_vectors_by_passage on knowledge_vectors (passage_seq);
`;
