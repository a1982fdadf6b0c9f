import { randomBytes } from 'node:crypto';
import pg from 'pg';
import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createIdSource } from '../../../../src/kernel/ids.ts';
import { insertMessageText, listTextsAfter } from '../../../../src/store/mail/message-texts.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import {
  findLastIndexed,
  insertMessageWords,
  requireForm,
} from '../../../../src/store/postgres/search/message-words.ts';
import { queryOnce, startPostgres } from '../../../harness/postgres/postgres-server.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

const server = await startPostgres();
t.teardown(() => server[Symbol.asyncDispose]());

const WAITING = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";

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
  const indexing = insertMessageWords(store.read, texts);
  await eventually(async () => (await queryOnce(server, WAITING)).length > 0);
  await remover.query('commit');
  await indexing;
  t.same(await queryOnce(server, 'select seq::int from message_words'), [{ seq: 2 }]);
  t.same(
    (await listTextsAfter(store.read, await findLastIndexed(store.read), 2)).map(({ seq }) => seq),
    [3],
  );

  await requireForm(store.read);
  t.equal(await findLastIndexed(store.read), 2, 'an index of this form stays');
  await queryOnce(server, "comment on table message_words is '1'");
  await requireForm(store.read);
  t.equal(await findLastIndexed(store.read), 0, 'one of another is emptied');
  await requireForm(store.read);
});
