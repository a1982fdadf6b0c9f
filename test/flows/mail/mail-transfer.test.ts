/** `postroom mail export` and `postroom mail import`, beside the daemon that serves. */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { listActs } from '../../harness/operator.ts';
import { builtServer } from '../../harness/process.ts';
import { sendBetween } from '../../harness/smtp/mail-between.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { documentOf, importInto, listMail, mailText, toMbox } from './mail-files.ts';

const instance = await startInstance();
t.teardown(() => instance[Symbol.asyncDispose]());
const { bob } = instance.agents;
const path = (...names: string[]): string => join(instance.directory, ...names);

const rawOf = async (agent: TestAgent, id: string): Promise<Buffer> =>
  Buffer.from(await (await instance.request(agent, 'GET', `/v1/messages/${id}/raw`)).arrayBuffer());
const rawsOf = async (agent: TestAgent): Promise<string[]> => {
  const raws = await Promise.all((await listMail(instance, agent)).map(({ id }) => rawOf(agent, id)));
  return raws.map((raw) => raw.toString('latin1')).sort();
};

t.test('mail goes out and comes in elsewhere, to the octet, once', async (t) => {
  await sendBetween(instance, ['one', 'two']);
  await sendMail(instance.smtpPort, { to: [bob.address], text: 'From here\n>From there\n\n8-bit: \u00e4\n' });
  await eventually(async () => (await listMail(instance, bob)).length === 3);
  const before = await rawsOf(bob);

  const file = path('bob.mbox');
  writeFileSync(`${file}.partial`, 'of an export that was killed');
  const written = await cliJson(instance.configPath, 'mail', 'export', 'bob', file);
  t.same(written, { agent: 'bob', file, format: 'mbox', exported: 3, missing: 0 });
  t.equal(statSync(file).mode & 0o777, 0o600);
  const mbox = readFileSync(file, 'latin1');
  t.match(mbox, /^From \S+@\S+ \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\nReturn-Path/);
  t.match(mbox, /\n>From here\r\n>>From there\r\n/);
  const again = await runCli(instance.configPath, 'mail', 'export', 'bob', file);
  t.match(again, { code: 1, stderr: /exists. Name another file, or replace it by --force/ });
  t.equal((await runCli(instance.configPath, 'mail', 'export', 'bob', file, '--force')).code, 0);
  t.equal(readFileSync(file, 'latin1'), mbox);

  const folder = path('bob-mail');
  await cliJson(instance.configPath, 'mail', 'export', bob.address, `${folder}/`);
  const names = readdirSync(folder);
  t.equal(names.length, 3);
  for (const name of names) t.match(name, /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-in-[0-9a-f-]{36}\.eml$/);
  t.same(names.map((name) => readFileSync(join(folder, name), 'latin1')).sort(), before);
  t.match(await runCli(instance.configPath, 'mail', 'export', 'bob', folder), { code: 1, stderr: /is not empty/ });
  t.equal((await runCli(instance.configPath, 'mail', 'export', 'bob', folder, '--force')).code, 0);
  t.same(readdirSync(folder), names, 'the same names');
  writeFileSync(join(folder, 'notes.txt'), '');
  t.match(await runCli(instance.configPath, 'mail', 'export', 'bob', folder, '--force'), { stderr: /more than .eml/ });
  t.same(
    readdirSync(instance.directory).filter((name) => name.includes('.partial')),
    [],
    'nothing is left beside them',
  );

  const dora = await instance.addAgent('dora');
  t.match(documentOf(await importInto(instance, dora, file)), {
    imported: 3,
    duplicates: 0,
    refused: 0,
    complete: true,
  });
  t.same(await rawsOf(dora), before);
  t.match(documentOf(await importInto(instance, dora, folder, file)), { imported: 0, duplicates: 6, refused: 0 });
  t.match(
    documentOf(await importInto(instance, bob, file)),
    { imported: 0, duplicates: 3 },
    'what came over SMTP is known too',
  );
  const eve = await instance.addAgent('eve');
  t.match(documentOf(await importInto(instance, eve, folder)), { imported: 3, ignored_files: 1 });
  t.same(await rawsOf(eve), before);
  const [latest] = await listMail(instance, bob);
  const [copy] = await listMail(instance, eve);
  t.ok(Math.abs(Date.parse(String(latest?.created_at)) - Date.parse(String(copy?.created_at))) < 2_000, 'its time');
  t.match(await listActs(instance, 'acme'), {
    0: { action: 'mail.import', subject: 'eve', detail: { imported: 3, duplicates: 0, refused: 0, complete: true } },
  });
  t.match((await listActs(instance, 'acme')).filter(({ action }) => action === 'mail.export').at(-1), {
    subject: 'bob',
    detail: { exported: 3 },
  });
});

t.test('filters of an export', async (t) => {
  const exported = async (...options: string[]) =>
    (await cliJson(instance.configPath, 'mail', 'export', 'ann', path('some.mbox'), '--force', ...options)).exported;
  t.equal(await exported('--direction', 'out'), 2);
  t.equal(await exported('--direction', 'in'), 0);
  t.equal(await exported('--since', '2020-01-01', '--until', '2100-01-01'), 2);
  t.equal(await exported('--until', '2020-01-01T00:00:00Z'), 0);
  t.equal(await exported('--since', '2100-01-01'), 0);
  t.equal(await exported('--with', bob.address.toUpperCase()), 2, 'of one person, whatever the case');
  t.equal(await exported('--with', `x${bob.address}`), 0);
  t.equal(readFileSync(path('some.mbox'), 'latin1'), '');
  for (const wrong of [
    ['--since', 'soon'],
    ['--direction', 'up'],
    ['--format', 'pst'],
  ]) {
    t.equal((await runCli(instance.configPath, 'mail', 'export', 'ann', path('x'), ...wrong)).code, 2, wrong.join(' '));
  }
  const nobody = await runCli(instance.configPath, 'mail', 'export', 'ann', path('x'), '--with', 'carol');
  t.match(nobody, { code: 1, stderr: /mail address/ });
  t.match(await runCli(instance.configPath, 'mail', 'export', 'nobody', path('x')), { code: 1, stderr: /No agent/ });
  t.match(await runCli(instance.configPath, 'mail', 'export', 'ann', path('no', 'x')), {
    code: 1,
    stderr: /no folder/,
  });
  t.notOk(existsSync(path('x')));
  t.notOk(existsSync(path('x.partial')));
  const hidden = { to: ['carol@remote.test'], bcc: ['dave@remote.test'], subject: 'Both', body: 'Hi' };
  await instance.client(instance.agents.ann).messages.send(hidden);
  t.equal(await exported('--with', 'dave@remote.test'), 1, 'Bcc too');
});

t.test('an import that is killed goes on where it was', async (t) => {
  const hugo = await instance.addAgent('hugo');
  const file = path('many.mbox');
  const mails = Array.from({ length: 200 }, (_, n) =>
    mailText({ subject: `mail ${n}`, body: 'words '.repeat(500), ...(n % 2 && { id: null }) }),
  );
  writeFileSync(file, toMbox(mails));
  const countFiled = (of: TestInstance): Promise<number> =>
    of.inStore(async ({ read }) => {
      const rows = await read.selectFrom('messages').select('id').where('subject', 'like', 'mail %').execute();
      return rows.length;
    });
  const words = [builtServer(), '--config', instance.configPath, 'mail', 'import', 'hugo', file];
  const child = spawn(process.execPath, words, { stdio: 'ignore', detached: true });
  const ended = new Promise((done) => child.once('exit', done));
  await eventually(async () => (await countFiled(instance)) >= 8);
  process.kill(-Number(child.pid), 'SIGKILL');
  await ended;
  const filed = await countFiled(instance);
  t.ok(filed < mails.length, `${filed} were filed`);
  t.match(documentOf(await importInto(instance, hugo, file)), {
    imported: mails.length - filed,
    duplicates: filed,
    refused: 0,
  });
  t.equal(await countFiled(instance), mails.length);
  t.same(instance.faults, []);
});
