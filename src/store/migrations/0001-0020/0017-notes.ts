/** Notes of a workspace, and which agents read them. */

export const kind = 'additive';

export const up = `
create table notes (
  seq          integer primary key,
  id           blob not null unique,
  workspace_id blob not null references workspaces (id),
  title        text,
  body         text not null,
  created_at   integer not null,
  updated_at   integer not null
) strict;
create index notes_by_workspace on notes (workspace_id, seq);

-- reader_id: an agent, or the workspace where all of its agents read the note.
create table note_readers (
  reader_id blob not null,
  note_seq  integer not null references notes (seq) on delete cascade,
  primary key (reader_id, note_seq)
) strict, without rowid;
create index note_readers_by_note on note_readers (note_seq, reader_id);

-- The words of title and body, folded. recency: the note's seq, negated, so that notes of one word stand newest first.
create table note_words (
  workspace_id blob not null,
  word         text not null,
  recency      integer not null,
  primary key (workspace_id, word, recency)
) strict, without rowid;
create index note_words_by_note on note_words (recency, word);
`;
