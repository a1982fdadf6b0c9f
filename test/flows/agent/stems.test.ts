import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { isPostgres } from '../../harness/postgres/test-location.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

/** On PostgreSQL the index is of the same transaction. */
const untilIndexed = async ({ directory }: Pick<TestInstance, 'directory'>, mails: number): Promise<void> => {
  const file = join(directory, 'data', 'postroom.db-words');
  await eventually(async () => {
    if (isPostgres) return true;
    try {
      const words = new Database(file, { readonly: true, fileMustExist: true });
      try {
        return words.prepare('select position from state').pluck().get() === mails;
      } finally {
        words.close();
      }
    } catch {
      return false;
    }
  });
};

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
  await untilIndexed(instance, 3);
  await check('indexed');
  const { hits } = await client.search.search({ q: 'repair' });
  t.match(hits[0]?.excerpt, /\*\*repaired\*\*/);
  await client.notes.create({ body: 'Several companies' });
  t.equal((await client.notes.list({ q: 'company' })).notes.length, 1);
  t.same(instance.faults, []);
});

t.test('words without blanks between them are found, and letters with and without strokes', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const client = instance.client(ann);
  const mails = {
    Tokyo: '明日の東京都の天気は晴れです。会議は三時から、サーバーの件。',
    Bangkok: 'การประชุมวันพรุ่งนี้เวลาสามโมง',
    Berlin: 'Hauptstraße 5, über Łódź und Tromsø nach Đà Nẵng, ışık',
  };
  for (const [Subject, text] of Object.entries(mails)) {
    const headers = { Subject, 'Content-Type': 'text/plain; charset=utf-8' };
    await sendMail(instance.smtpPort, { to: [ann.address], headers, text });
  }
  const found = async (q: string) => (await client.search.search({ q })).hits.map(({ subject }) => subject);
  const check = async (when: string) => {
    for (const q of ['東京', '天気', '会議', 'サーバー', '"東京都の天気"', '三時 晴れ', '東', '東京*'])
      t.same(await found(q), ['Tokyo'], `${q} ${when}`);
    for (const q of ['ประชุม', 'พรุ่งนี้']) t.same(await found(q), ['Bangkok'], `${q} ${when}`);
    for (const q of ['hauptstrasse', 'HAUPTSTRASSE', 'Hauptstraße', 'lodz', 'tromso', '"da nang"', 'isik'])
      t.same(await found(q), ['Berlin'], `${q} ${when}`);
    for (const q of ['京東', '天気 -東京', 'strasse']) t.same(await found(q), [], `${q} ${when}`);
  };
  await check('before it is indexed');
  await untilIndexed(instance, 3);
  await check('from the index');
  t.match((await client.search.search({ q: '天気' })).hits[0]?.excerpt, /東京都の\*\*天気\*\*は/);
  t.same(instance.faults, []);
});
