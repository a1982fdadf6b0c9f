/** Space of deleted mail comes back: by the nightly steps, by `postroom compact`, and for files of older versions. */

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import t from 'tap';
import { releaseSpace } from '../../../src/app/retention.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const ofFile = ofSqlite(t, 'the file is made smaller');

/** Mail of some 4 MiB that compresses badly, received and deleted. */
const fillAndDelete = async (instance: TestInstance): Promise<void> => {
  const { ann } = instance.agents;
  const api = instance.client(ann);
  for (let n = 0; n < 8; n += 1) {
    const text =
      randomBytes(360_000)
        .toString('base64')
        .match(/.{1,76}/g)
        ?.join('\n') ?? '';
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Transfer-Encoding': 'base64' };
    await sendMail(instance.smtpPort, { to: [ann.address], headers, text });
  }
  for (const { id } of (await api.messages.list({})).messages) await api.messages.remove({ id });
};

const checkpoint = (file: string): number => {
  const db = new Database(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return statSync(file).size;
};

ofFile('in steps beside the daemon', async (t) => {
  await using instance = await startInstance();
  const file = dataFileOf(instance.config);
  await fillAndDelete(instance);
  const full = checkpoint(file);
  t.equal(await instance.inStore((store) => releaseSpace(store, full)), await freeBytes(file), 'what is spare stays');
  const { stdout, code } = await runCli(instance.configPath, 'compact', '--json');
  t.equal(code, 0);
  t.match(JSON.parse(stdout), { file, before: full });
  t.ok(checkpoint(file) < full / 2, `${checkpoint(file)} of ${full}`);
  t.match(await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] }), /^250/);
  await instance.daemon.jobs.runAll();
  t.same(instance.faults, []);
});

ofFile('whole, where the daemon is down; a file of an older version is prepared by it', async (t) => {
  await using instance = await startInstance();
  const file = dataFileOf(instance.config);
  await fillAndDelete(instance);
  await instance.daemon.stop();
  const db = new Database(file);
  db.pragma('auto_vacuum = NONE');
  db.exec('vacuum');
  db.close();
  await instance.restart();
  await fillAndDelete(instance);
  const refused = await runCli(instance.configPath, 'compact');
  t.match(refused, { code: 1, stderr: /Stop the daemon once, run `postroom compact`/ });
  await instance.daemon.stop();
  const full = checkpoint(file);
  const { after } = await cliJson(instance.configPath, 'compact');
  // A new file alone has a fifth of it.
  t.ok(Number(after) < full * 0.6, `${after} of ${full}`);
  t.equal(statSync(file).size, after);
  await instance.restart();
  t.equal((await runCli(instance.configPath, 'compact')).code, 0);
  t.equal((await runCli(instance.configPath, 'verify-data')).code, 0);
});

const freeBytes = async (file: string): Promise<number> => {
  const db = new Database(file, { readonly: true });
  const [pages, size] = ['freelist_count', 'page_size'].map((name) => Number(db.pragma(name, { simple: true })));
  db.close();
  return (pages ?? 0) * (size ?? 0);
};
