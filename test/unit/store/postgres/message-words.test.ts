import { randomBytes } from 'node:crypto';
import pg from 'pg';
import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createIdSource } from '../../../../src/kernel/ids.ts';
import { insertMessageText, listTextsAfter } from '../../../../src/store/mail/message-texts.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { createClient, openDb } from '../../../../src/store/postgres/connections.ts';
import { migrate } from '../../../../src/store/postgres/migrate.ts';
import { findLastIndexed, insertMessageWords } from '../../../../src/store/postgres/search/message-words.ts';
import { queryOnce, startPostgres } from '../../../harness/postgres/postgres-server.ts';

const server = await startPostgres();
t.teardown(() => server[Symbol.asyncDispose]());

t.test('a text that is removed while it is indexed leaves no words', async (t) => {
  const store = await openStore({ engine: 'postgres', url: server.url }, { now: systemClock.now() });
  // Texts alone, without mailboxes and messages.
  await queryOnce(server, 'alter table message_texts drop constraint message_texts_seq_fkey');
  const remover = new pg.Client(server.url);
  await remover.connect();
  t.teardown(async () => {
    await remover.end();
    await store.close();
  });
  const mailboxId = createIdSource(systemClock, randomBytes)<'mailbox'>();
  const text = { mailboxId, subject: '', sender: '', recipients: '', attachments: '', packed: null };
  await store.write(async (tx) => {
    for (const seq of [1, 2, 3]) await insertMessageText(tx, seq, { ...text, body: `word${seq}` });
  });
  const texts = await listTextsAfter(store.read, await findLastIndexed(store.read), 2);
  t.same(
    texts.map(({ seq }) => seq),
    [1, 2],
    'the oldest',
  );

  await remover.query('begin; delete from message_texts where seq = 1');
  const client = createClient(server.url);
  await client.connect();
  t.teardown(() => client.end());
  const db = openDb(client);
  await t.rejects(insertMessageWords(db, texts), { code: '55P03' }, 'neither waits for the other');
  await remover.query('commit');
  await insertMessageWords(db, texts);
  t.same(await queryOnce(server, 'select seq::int from message_words'), [{ seq: 2 }]);
  t.same(
    (await listTextsAfter(store.read, await findLastIndexed(store.read), 2)).map(({ seq }) => seq),
    [3],
  );
});

t.test('an index of other words is made again, and no older version works beside it', async (t) => {
  const client = new pg.Client(server.url);
  await client.connect();
  t.teardown(() => client.end());
  const step = 'postgres-0001-words-of-ranges';
  const findStep = async () => (await client.query(`select additive::int from migrations where name = '${step}'`)).rows;
  await migrate(client, systemClock.now());
  t.same(await findStep(), [{ additive: 0 }], 'breaking');
  await client.query(`delete from migrations where name = '${step}'; delete from message_words`);
  await client.query("insert into message_words values (7, 'older')");
  await migrate(client, systemClock.now());
  t.same((await client.query('select seq from message_words')).rows, []);
  t.same(await findStep(), [{ additive: 0 }]);
});
