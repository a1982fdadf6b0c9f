/** The full-text index beside the data: whatever becomes of its file, a search finds all mail once, and none that is deleted. */

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { purgeRemovedWorkspaces } from '../../../src/resources/workspaces/remove-workspace.ts';
import { up as olderIndex } from '../../../src/store/migrations/0021-0040/0025-word-beginnings.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { orFew } from '../../harness/long-form.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';
import { limitFiles, startProcessBox } from '../../harness/process.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const ofFile = ofSqlite(t, 'the index is a file beside the data');
const WITHIN_MS = 20_000;

const indexFile = (instance: TestInstance): string => `${dataFileOf(instance.config)}-words`;
const inFile = <T>(file: string, ask: (database: Database.Database) => T): T => {
  const database = new Database(file, { timeout: 10_000 });
  try {
    return ask(database);
  } finally {
    database.close();
  }
};

/** Words of the index; null where there is none. */
const indexedWords = (instance: TestInstance): unknown[] | null => {
  if (!existsSync(indexFile(instance))) return null;
  try {
    return inFile(indexFile(instance), (database) => {
      database.exec("create virtual table temp.words using fts5vocab('main', 'message_index', 'row')");
      return database.prepare('select term from words').pluck().all();
    });
  } catch {
    return null;
  }
};

const until = async (what: string, isTrue: () => boolean): Promise<void> => {
  const end = Date.now() + WITHIN_MS;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`Not within ${WITHIN_MS} ms: ${what}`);
    await sleep(50);
  }
};

const isIndexed = (instance: TestInstance, word: string) => () => indexedWords(instance)?.includes(word) ?? false;

const receive = (instance: TestInstance, text: string) =>
  sendMail(instance.smtpPort, { to: [instance.agents.ann.address], text });

const search = async (instance: TestInstance, q: string) => {
  const { hits, partial } = await instance.client(instance.agents.ann).search.search({ q });
  return { found: hits.length, partial };
};
const verified = async (instance: TestInstance) => {
  const { checks } = (await cliJson(instance.configPath, 'verify-data')) as { checks: { name: string }[] };
  return checks.find(({ name }) => name === 'search_index');
};
const ONCE = { found: 1, partial: false };
const NONE = { found: 0, partial: false };

/** Each finds the mail of {@link TEXT}, by the index as without it. */
const TEXT = 'The caterpillars of Ångström walk on Wednesdays to ΟΔΟΣ and Straße, 4711 times.\nIt is 北京.';
const FINDS =
  'caterpillars|caterpillar|cat*|cate*|cater*|angstrom|ÅNGSTRÖM|"walk on wednesdays"|οδος|straße|北京|caterpillars -beetle|nothing OR wednesdays|from:carol caterpillars'.split(
    '|',
  );
const FINDS_NOT = ['"caterpillar"', '"walk wednesdays"', 'caterpillars -wedn*', 'caterpillars -straße', 'subject:walk'];
/** By day: a word, a beginning, a phrase, and what is not there. */
const SOME = [
  orFew(FINDS, ['caterpillar', 'cate*', '"walk on wednesdays"', '北京']),
  orFew(FINDS_NOT, ['"walk wednesdays"']),
] as const;

type Expected = [t: Test, instance: TestInstance, when: string];
const expectAll = async (...[t, instance, when, [finds, not] = [FINDS, FINDS_NOT]]: [...Expected, typeof SOME?]) => {
  for (const q of finds) t.same(await search(instance, q), ONCE, `${when}: ${q}`);
  for (const q of not) t.same(await search(instance, q), NONE, `${when}: ${q}`);
};
const expectSome = (...given: Expected): Promise<void> => expectAll(...given, SOME);

ofFile('the index finds what the texts have, no more and no less', async (t) => {
  await using instance = await startInstance();
  const texts = {
    tea: 'The green tea of the company arrives on Monday.',
    order: 'Tea, green as ever. Companies order it.',
    brulee: 'Une crème brûlée, s’il vous plaît',
    hindi: 'कल की बैठक में मिलते हैं',
    invoice: 'Two invoices and an invoker, INV-2024/17',
    last: 'zephyrlast',
  };
  for (const [Subject, text] of Object.entries(texts)) {
    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject }, text });
  }
  const finds: [q: string, subjects: (keyof typeof texts)[]][] = [
    ['"green tea"', ['tea']],
    ['"tea green"', ['order']],
    ['green -"green tea"', ['order']],
    ['company', ['tea', 'order']],
    ['"creme brulee"', ['brulee']],
    ['बैठक', ['hindi']],
    ['inv*', ['invoice']],
    ['invo*', ['invoice']],
    ['invoi*', ['invoice']],
    ['inve*', []],
    ['tea -comp*', []],
    ['tea -arri*', ['order']],
    ['"inv 2024"', ['invoice']],
    ['from:remote.test zephyrlast', ['last']],
    ['from:test.remote zephyrlast', []],
  ];
  const ann = instance.client(instance.agents.ann);
  const check = async (how: string) => {
    for (const [q, keys] of finds) {
      const { hits } = await ann.search.search({ q });
      t.same(hits.map(({ subject }) => subject).sort(), keys.toSorted(), `${q} ${how}`);
    }
  };
  await check('by the texts');
  await until('the last mail is indexed', isIndexed(instance, 'zephyrlast'));
  await check('by the index');
});

ofFile('mail is found at once, and the same by the index; a deleted one is not, and leaves no word', async (t) => {
  await using instance = await startInstance();
  const api = instance.client(instance.agents.ann);
  await receive(instance, TEXT);
  t.not(isIndexed(instance, 'caterpillars')(), true, 'not indexed yet');
  await expectAll(t, instance, 'at once');
  await until('indexed', isIndexed(instance, 'caterpillars'));
  await expectAll(t, instance, 'indexed');
  t.equal(statSync(indexFile(instance)).mode & 0o077, 0, 'private');

  const [mail] = (await api.messages.list({})).messages;
  await api.messages.remove({ id: mail?.id ?? '' });
  t.same(await search(instance, 'caterpillars'), NONE, 'deleted, while the index has it');
  await receive(instance, 'A beetle in its place.');
  t.same(await search(instance, 'caterpillars'), NONE, 'no later mail has its words');
  t.same(await search(instance, 'beetle'), ONCE);
  await until('removed', () => !isIndexed(instance, 'caterpillars')() && isIndexed(instance, 'beetle')());
  t.same(await search(instance, 'beetle'), ONCE);
  t.match(await verified(instance), { status: 'ok', detail: 'It has all texts.' });
});

ofFile('a process that is killed, or meets a full disk, leaves an index that catches up', async (t) => {
  await using box = await startProcessBox();
  const { instance } = box;
  await receive(instance, 'A caterpillar.');
  await until('indexed', isIndexed(instance, 'caterpillar'));
  await Promise.all(Array.from({ length: 40 }, (_, n) => receive(instance, `beetle number${n}`)));
  await receive(instance, 'beetle numberlast');
  await box.daemon.end('SIGKILL');
  t.not(isIndexed(instance, 'numberlast')(), true, 'behind');
  await box.start();
  t.same(await search(instance, 'numberlast'), ONCE, 'at once');
  t.same(await search(instance, 'caterpillar'), ONCE);
  await until('indexed', isIndexed(instance, 'numberlast'));
  for (const word of ['number0', 'number20', 'numberlast', 'caterpillar']) t.same(await search(instance, word), ONCE);

  await receive(instance, 'A butterfly.');
  limitFiles(box.daemon.pid, 4096);
  for (let n = 0; n < 3; n += 1) {
    t.same(await search(instance, 'butterfly'), ONCE, 'what is stored is found');
    await sleep(500);
  }
  limitFiles(box.daemon.pid, 'unlimited');
  for (let n = 0; n < 20; n += 1) await receive(instance, `moth moth${n}x`);
  t.same(await search(instance, 'moth19x'), ONCE);
  await box.daemon.end('SIGTERM');
  await box.start();
  await until('indexed', () => isIndexed(instance, 'butterfly')() && isIndexed(instance, 'moth19x')());
  t.same(await search(instance, 'butterfly'), ONCE, 'indexed once there is room');
});

ofFile('a file that is missing, damaged or of other data is made again', async (t) => {
  await using instance = await startInstance();
  await receive(instance, TEXT);
  await until('indexed', isIndexed(instance, 'caterpillars'));
  const file = indexFile(instance);

  await instance.daemon.stop();
  const ofNow = readFileSync(file);
  for (const side of ['', '-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
  await instance.restart();
  await expectSome(t, instance, 'missing');
  await until('made again', isIndexed(instance, 'caterpillars'));
  await expectSome(t, instance, 'made again');

  await instance.daemon.stop();
  for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
  // Its first page is whole: it opens, and its pages are not what they were.
  const pageSize = ofNow.readUInt16BE(16);
  writeFileSync(file, Buffer.concat([ofNow.subarray(0, pageSize), Buffer.alloc(ofNow.length - pageSize, 0x5a)]));
  t.match(await verified(instance), { status: 'warn' }, 'told');
  await instance.restart();
  await expectSome(t, instance, 'damaged');
  await until('made again after damage', isIndexed(instance, 'caterpillars'));
  await expectSome(t, instance, 'made again after damage');

  await receive(instance, 'A mail of which the earlier data has not heard: moths.');
  await instance.daemon.stop();
  // The index is ahead of data that was put back by hand.
  inFile(dataFileOf(instance.config), (database) => {
    database.pragma('foreign_keys = off');
    database.exec("update messages set id = cast(substr(id, 1, 15) || x'ee' as blob); delete from removed_texts");
  });
  await instance.restart();
  await expectSome(t, instance, 'of other data');
});

ofFile('a damaged page that a search comes upon', async (t) => {
  await using instance = await startInstance();
  await receive(instance, TEXT);
  await until('indexed', isIndexed(instance, 'caterpillars'));
  inFile(indexFile(instance), (database) => {
    database.unsafeMode(true);
    database.exec("update message_index_data set block = x'00000000ffff' where id > 10");
  });
  await expectSome(t, instance, 'damaged under way');
  await until('made again', isIndexed(instance, 'caterpillars'));
  await expectSome(t, instance, 'made again');
});

ofFile('data of an older version, and a backup, need no index', async (t) => {
  await using instance = await startInstance();
  await receive(instance, TEXT);
  await until('indexed', isIndexed(instance, 'caterpillars'));
  const file = dataFileOf(instance.config);
  const backup = `${file}.backup`;
  await cliJson(instance.configPath, 'backup', backup);
  await receive(instance, 'Moths that the backup has not.');
  await until('indexed', isIndexed(instance, 'moths'));
  await instance.daemon.stop();
  t.equal((await runCli(instance.configPath, 'restore', backup, '--replace', '--yes')).code, 0);
  t.notOk(existsSync(indexFile(instance)), 'what was made of the replaced data is gone');
  await instance.restart();
  await expectSome(t, instance, 'restored');
  t.same(await search(instance, 'moths'), NONE);
  await until('indexed', isIndexed(instance, 'caterpillars'));
  await instance.daemon.stop();
  t.equal((await runCli(instance.configPath, 'compact')).code, 0);
  await instance.restart();
  await expectSome(t, instance, 'compacted');

  await instance.daemon.stop();
  inFile(file, (database) => {
    database.exec('create table message_index (x)');
    // An index of before keeps no texts of its own: made empty, as the migration drops it whatever it has.
    database.exec(olderIndex);
    database.exec("drop table removed_texts; delete from migrations where name like '0073%'");
  });
  rmSync(indexFile(instance), { force: true });
  await instance.restart();
  t.notOk(
    inFile(file, (database) => database.prepare("select 1 from sqlite_schema where name = 'message_index'").get()),
    'the table of before is gone',
  );
  await expectSome(t, instance, 'of an older version');
  await until('indexed', isIndexed(instance, 'caterpillars'));
  await expectSome(t, instance, 'of an older version, indexed');
});

ofFile('texts that another process stores are indexed once a search has read them', async (t) => {
  await using instance = await startInstance();
  const file = `${instance.directory}/imported.eml`;
  writeFileSync(file, 'From: carol@remote.test\r\nSubject: Old mail\r\n\r\nIt tells of butterflies.\r\n');
  // The daemon has looked for what earlier processes left.
  await receive(instance, TEXT);
  await until('indexed', isIndexed(instance, 'caterpillars'));
  t.match(await cliJson(instance.configPath, 'mail', 'import', 'ann', file), { imported: 1 });
  t.same(await search(instance, 'butterflies'), ONCE);
  await until('indexed', isIndexed(instance, 'butterflies'));
  t.same(await search(instance, 'butterflies'), ONCE);
});

ofFile('of a workspace that is removed no word is left', async (t) => {
  await using instance = await startInstance();
  const other = await instance.addWorkspace('Second', true);
  const zoe = await instance.addAgent('zoe', other);
  await sendMail(instance.smtpPort, { to: [zoe.address], text: 'A caterpillar.' });
  await receive(instance, 'A beetle.');
  await until('indexed', () => isIndexed(instance, 'caterpillar')() && isIndexed(instance, 'beetle')());
  t.equal((await runCli(instance.configPath, 'workspaces', 'remove', 'second', '--yes')).code, 0);
  await instance.inStore((store) => purgeRemovedWorkspaces(store, { now: Date.now }));
  await receive(instance, 'A moth.');
  await until('removed', () => !isIndexed(instance, 'caterpillar')() && isIndexed(instance, 'moth')());
  t.same(await search(instance, 'beetle'), ONCE);
});
