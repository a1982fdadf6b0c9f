/** Data moves to PostgreSQL and back by the command, and the daemon goes on with it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { startDaemon } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config/config-text.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { rounds } from '../../harness/long-form.ts';
import { startPostgres } from '../../harness/postgres/postgres-server.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { builtServer } from '../../harness/process.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { storeMails } from '../../harness/stored-mail.ts';

const MAILS = rounds(1_500, 3_000);
const PASSWORD = 'correct-horse';
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** The instance's config with its data in another place. */
const configWith = ({ directory, configPath }: TestInstance, name: string, storage: string): string => {
  const path = join(directory, `${name}.toml`);
  writeFileSync(path, `${readFileSync(configPath, 'utf8')}\n[storage]\nurl = "${storage}"\n`);
  return path;
};

/** Serves mail and searches with the data that a config names. */
const useData = async (t: Test, instance: TestInstance, path: string, said: string): Promise<void> => {
  const daemon = await startDaemon(parseConfig(readFileSync(path, 'utf8'), path), silent);
  try {
    const { ann } = instance.agents;
    const api = instance.client(ann);
    const isFound = (q: string) => eventually(async () => (await api.search.search({ q })).hits.length > 0);
    t.ok(await isFound('ubergabe'), `${said}: mail of before is found`);
    t.ok(await isFound(`ref${MAILS - 1}`), `${said}: all of it`);
    const before = instance.receiver.messages.length;
    await sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: `Came to ${said}` }, text: 'Hello' });
    t.ok(await isFound(`"came to ${said}"`), `${said}: mail comes, and is found`);
    await api.messages.send({ to: ['carol@remote.test'], subject: `From ${said}`, body: 'Hello' });
    const sent = (await instance.receiver.waitFor(before + 1))[before];
    t.match(sent?.raw.toString(), /^DKIM-Signature:[\s\S]*^Subject: From /m, `${said}: mail goes out, signed`);
  } finally {
    await daemon.stop();
  }
};

/** Runs the copy as a process, and kills it once it has written some mail. */
const killAmidst = async (from: string, to: string, isAmidst: () => Promise<boolean>): Promise<void> => {
  const words = [builtServer(), 'storage', 'copy', from, to];
  const child: ChildProcess = spawn(process.execPath, words, { detached: true, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually(isAmidst);
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await ended;
};

ofSqlite(t, 'it begins with a file')('to PostgreSQL, killed and gone on with, and back', async (t) => {
  await using instance = await startInstance();
  const { configPath, agents } = instance;
  await sendMail(instance.smtpPort, { to: [agents.ann.address], headers: { Subject: 'Übergabe der Schlüssel' } });
  await instance.inStore(async (store) => {
    const agent = await findAgent(store.read, 'ann');
    if (!agent) throw new Error('No agent ann');
    const newId = createIdSource(systemClock, randomBytes);
    const mail = (n: number) => ({ subject: `Mail ref${n}`, body: 'x'.repeat(4_000) });
    await storeMails(store, newId, agent.mailboxId, MAILS, mail);
  });
  await using server = await startPostgres();
  const socket = new URL(server.url).searchParams.get('host') ?? '';
  const url = `postgres://postgres:${PASSWORD}@${encodeURIComponent(socket)}/postgres`;
  const toPath = configWith(instance, 'postgres', url);
  const backPath = configWith(instance, 'back', 'sqlite:back.db');

  const refused = await runCli(configPath, 'storage', 'copy', configPath, url);
  t.match(refused, { code: 1, stderr: /Another daemon/ });
  await instance.daemon.stop();

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const countTexts = async (): Promise<number> => {
    const { rows } = await client.query<{ count: number }>(
      "select (select count(*)::int from messages) as count where to_regclass('messages') is not null",
    );
    return rows[0]?.count ?? 0;
  };
  const isBegun = async () => (await countTexts().catch(() => 0)) >= 500;
  await killAmidst(configPath, toPath, isBegun);
  const kept = await countTexts();
  t.ok(kept >= 500, `${kept} mails were written before the kill`);
  const early = await runCli(toPath, 'keys', 'list');
  t.match(early, { code: 1, stderr: /a copy that is not whole/ });
  const copied = await cliJson(configPath, 'storage', 'copy', configPath, toPath);
  t.match(copied, { resumed: true, tables: { messages: MAILS + 1 }, replaced: {} });
  t.notMatch(JSON.stringify(copied) + refused.stderr + early.stderr, new RegExp(PASSWORD));
  await client.end();
  t.match(await runCli(configPath, 'storage', 'copy', configPath, toPath), { code: 1, stderr: /has data already/ });
  t.match(await cliJson(toPath, 'activity', 'verify'), { ok: true });
  await useData(t, instance, toPath, 'postgres');

  const back = await cliJson(configPath, 'storage', 'copy', toPath, backPath);
  t.match(back, { resumed: false, tables: { messages: MAILS + 3 } });
  t.match(await cliJson(backPath, 'activity', 'verify'), { ok: true });
  await useData(t, instance, backPath, 'sqlite');
});

t.test('what is no place for data is wrong usage', async (t) => {
  const { code, stderr } = await runCli('none.toml', 'storage', 'copy', 'sqlite:a.db', 'none.toml');
  t.equal(code, 2);
  t.match(stderr, /a config file, for the data that it names, or a postgres:\/\/ URL/);
  t.equal((await runCli('none.toml', 'storage', 'copy', '/none.toml', 'postgres://x/y')).code, 78);
});
