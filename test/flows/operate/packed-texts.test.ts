/** Texts are kept packed; what older versions kept unpacked is found as well. */

import Database from 'better-sqlite3';
import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const ofFile = ofSqlite(t, 'the file is of an older version');

const TEXT = 'The caterpillars of Lisbon walk on Wednesdays.\nNobody knows why.';
/** Whole words, and beginnings of three to eleven letters. */
const SEARCHES = ['caterpillars', 'cat*', 'cate*', 'cater*', 'caterpillar*', '-wednesda* lisbon'];
const FOUND = SEARCHES.map((q) => !q.startsWith('-'));

const inFile = <T>(instance: TestInstance, ask: (database: Database.Database) => T): T => {
  const database = new Database(dataFileOf(instance.config));
  try {
    return ask(database);
  } finally {
    database.close();
  }
};

const bodies = (instance: TestInstance) =>
  inFile(instance, (database) =>
    database.prepare('select body, packed is not null as isPacked from message_texts order by seq').all(),
  );

const search = async (instance: TestInstance): Promise<boolean[]> => {
  const api = instance.client(instance.agents.ann);
  return Promise.all(SEARCHES.map(async (q) => (await api.search.search({ q })).hits.length > 0));
};

const receive = (instance: TestInstance, text = TEXT) =>
  sendMail(instance.smtpPort, { to: [instance.agents.ann.address], text });

ofFile('mail that came in and went out', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const api = instance.client(ann);
  await receive(instance);
  await api.messages.send({ to: [bob.address], subject: 'Beetles', body: 'They sing in Porto.' });
  await instance.daemon.jobs.runAll();
  t.ok(bodies(instance).length >= 2);
  for (const row of bodies(instance)) t.same(row, { body: '', isPacked: 1 });
  t.same(await search(instance), FOUND);
  const { hits } = await api.search.search({ q: 'wedn*' });
  t.match(hits[0]?.excerpt, 'The caterpillars of Lisbon walk on **Wednesdays**. Nobody knows why');
});

ofFile('a file of an older version, before and after it is compacted', async (t) => {
  await using instance = await startInstance();
  await receive(instance);
  await instance.daemon.stop();
  inFile(instance, (database) => database.prepare('update message_texts set body = ?, packed = null').run(TEXT));
  await instance.restart();
  t.same(await search(instance), FOUND, 'mail of before');
  await receive(instance, 'A beetle.');
  t.match(bodies(instance), [
    { body: TEXT, isPacked: 0 },
    { body: '', isPacked: 1 },
  ]);

  await instance.daemon.stop();
  await cliJson(instance.configPath, 'compact');
  t.equal((await runCli(instance.configPath, 'verify-data')).code, 0);
  await instance.restart();
  t.same(await search(instance), FOUND);
  t.equal((await instance.client(instance.agents.ann).search.search({ q: 'beetl*' })).hits.length, 1);
});
