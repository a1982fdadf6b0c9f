/** Contacts and notes are found by full-text indexes, in place of tables of their words. */

/**
 * Terms: the workspace in hexadecimal, a kind (store/search/word-search.ts), a folded word. The lists of beginnings of up to
 * eight letters (FTS5 section 4.2, `prefix`) stand behind these 33 characters.
 */
const createIndex = (texts: string, terms: string): string => `
create virtual table ${terms} using fts5 (
  terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii',
  prefix = '34 35 36 37 38 39 40 41'
);
create virtual table ${terms}_vocabulary using fts5vocab (${terms}, instance);
create trigger ${terms}_removed after delete on ${texts} begin
  delete from ${terms} where rowid = old.seq;
end;`;

export const up = `
${createIndex('contacts', 'contact_terms')}
insert into contact_terms (rowid, terms)
select -recency, group_concat(lower(hex(workspace_id)) || iif(kind = 6, 'w', 't') || key, ' ')
from contact_keys where kind in (6, 7) group by recency order by recency desc;
delete from contact_keys where kind in (6, 7);

${createIndex('notes', 'note_terms')}
insert into note_terms (rowid, terms)
select seq,
  coalesce((select group_concat(lower(hex(workspace_id)) || 'w' || word, ' ') from note_words where recency = -seq), '')
  || ' ' ||
  coalesce((select group_concat(lower(hex(workspace_id)) || 'r' || lower(hex(reader_id)), ' ')
    from note_readers where note_seq = seq), '')
from notes order by seq;
drop table note_words;
`;
