import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { isPostgres } from '../../harness/postgres/test-location.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('words are found by their stems, before and after they are indexed', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const client = instance.client(ann);
  const mails = { 'The engine failed': 'Two companies repaired it.', 'People meet': 'Running late.', Résumés: 'x' };
  for (const [subject, text] of Object.entries(mails)) {
    await sendMail(instance.smtpPort, {
      to: [ann.address],
      headers: { Subject: subject, 'Content-Type': 'text/plain; charset=utf-8' },
      text,
    });
  }
  const found = async (q: string) => {
    const { hits } = await client.search.search({ q });
    return hits.map(({ subject }) => subject).toSorted();
  };
  const check = async (when: string) => {
    t.same(await found('engines'), ['The engine failed'], when);
    t.same(await found('company'), ['The engine failed'], when);
    t.same(await found('failing repairs'), ['The engine failed'], when);
    t.same(await found('subject:engine'), ['The engine failed'], when);
    t.same(await found('resume'), ['Résumés'], when);
    t.same(await found('runn*'), ['People meet'], 'a beginning is of the word as it stands');
    t.same(await found('"engines"'), [], 'and quoted words are those words');
    t.same(await found('"engine failed"'), ['The engine failed'], when);
    t.same(await found('late -running'), [], when);
  };
  await check('not indexed yet');
  const file = join(instance.directory, 'data', 'postroom.db-words');
  const indexed = () => {
    const words = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return {
        form: words.pragma('user_version', { simple: true }),
        ...(words.prepare('select position from state').get() as object),
      };
    } finally {
      words.close();
    }
  };
  // On PostgreSQL the index is of the same transaction.
  await eventually(async () => {
    if (isPostgres) return true;
    try {
      return (indexed() as { position?: number }).position === 3;
    } catch {
      return false;
    }
  });
  await check('indexed');
  const { hits } = await client.search.search({ q: 'repair' });
  t.match(hits[0]?.excerpt, /\*\*repaired\*\*/);
  await client.notes.create({ body: 'Several companies' });
  t.equal((await client.notes.list({ q: 'company' })).notes.length, 1);
  t.same(instance.faults, []);
});
