import { PostgresQueryCompiler, type RootOperationNode } from 'kysely';
import t from 'tap';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { openTranslatedDatabase } from '../../harness/postgres/translated-database.ts';
import { recordQueries } from '../../harness/store-calls/recorded-queries.ts';

/** Functions whose statements are the SQLite engine's own (src/store/sqlite): the full-text indexes. */
const OF_THE_ENGINE =
  /^insert into (?:removed_texts|knowledge_index|contact_terms|note_terms) |^delete from (?:knowledge_index|contact_terms|note_terms) /;

ofSqlite(t, 'the queries are recorded there')('every query of the store runs on PostgreSQL too', async (t) => {
  const { queries } = await recordQueries(t);
  const client = await openTranslatedDatabase(t);
  // Foreign keys are not checked: the tables are empty.
  await client.query('set session_replication_role = replica');
  const compiler = new PostgresQueryCompiler();
  const exceptions = new Set<string>();
  for (const { by, query } of queries) {
    if (OF_THE_ENGINE.test(query.sql)) {
      exceptions.add(by);
      continue;
    }
    const { sql } = compiler.compileQuery(query.query as RootOperationNode, query.queryId);
    await client.query('begin');
    const fault = await client.query(sql, [...query.parameters]).then(
      () => null,
      (error: unknown) => String(error),
    );
    t.equal(fault, null, `${by}: ${sql}`);
    await client.query('rollback');
  }
  t.same([...exceptions].sort(), [
    'addMembers',
    'deleteContact',
    'deleteFromThreads',
    'deleteMailBefore',
    'deleteMessage',
    'deleteMessageText',
    'deleteNote',
    'deletePassages',
    'deleteSomeOfMailbox',
    'deleteSomeOfSource',
    'findContactsByEmail',
    'indexNote',
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
