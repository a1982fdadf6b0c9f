import { PostgresQueryCompiler, type RootOperationNode } from 'kysely';
import t from 'tap';
import { recordQueries } from '../../harness/store-calls/recorded-queries.ts';

/** Words and forms of SQLite that PostgreSQL lacks. */
const SQLITE_ONLY: readonly RegExp[] = [
  /\browid\b/,
  /\biif\s*\(/,
  /\bifnull\s*\(/,
  /\bjson_(each|extract|object|group)\b/,
  /\b(glob|pragma|autoincrement|strftime|randomblob|group_concat|instr|typeof|bm25)\b/,
  /\binsert or\b|\bupdate or\b|\breplace into\b/,
  /\b(max|min)\s*\([^()]*,/,
  // bytea has no min and max before PostgreSQL 18.
  /\b(max|min)\s*\((\w+\.)?\w*_?id\)/,
  /\bmessage_index match\b/,
  // A recursive term of a common table expression has no limit of its own.
  /\bfrom queued where[^)]*\blimit\b/,
  /\bindexed by\b|\bcross join\b/,
  /\?/,
  /\bcast\s*\([^)]* as (blob|text|integer)\)/,
];

/** Functions whose statements are the SQLite engine's own (src/store/sqlite): the full-text indexes. */
const OF_THE_ENGINE =
  /^insert into (?:removed_texts|knowledge_index|contact_terms|note_terms) |^delete from (?:knowledge_index|contact_terms|note_terms) /;

t.test('every query of the store is PostgreSQL too', async (t) => {
  const { queries } = await recordQueries(t);
  const compiler = new PostgresQueryCompiler();
  const exceptions = new Set<string>();
  for (const { by, query } of queries) {
    if (OF_THE_ENGINE.test(query.sql)) {
      exceptions.add(by);
      continue;
    }
    const { sql } = compiler.compileQuery(query.query as RootOperationNode, query.queryId);
    for (const word of SQLITE_ONLY) t.notMatch(sql, word, `${by}: ${sql}`);
    const marks = new Set(sql.match(/\$\d+/g));
    t.equal(marks.size, query.parameters.length, `${by}: as many marks as values`);
  }
  t.same([...exceptions].sort(), [
    'addMembers',
    'deleteContact',
    'deleteMessage',
    'deleteMessageText',
    'deleteNote',
    'deletePassages',
    'deleteSomeOfMailbox',
    'deleteSomeOfSource',
    'findContactsByEmail',
    'insertContacts',
    'insertMessageText',
    'insertNote',
    'insertPassages',
    'keepContactsApart',
    'listReaders',
    'setReaders',
    'storeVectors',
    'updateContact',
    'updateNote',
  ]);
});
