/** The central ways on PostgreSQL, in each run of the tests; the whole suite runs on it by `POSTROOM_TEST_STORE=postgres`. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { startDaemon } from '../../../src/app.ts';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { reviewContract } from '../../../src/resources/held-mail/review/contract.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { setPlan } from '../../../src/store/accounts/workspaces.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { runCli } from '../../harness/cli.ts';
import { startWebhookInstance } from '../../harness/http/webhooks.ts';
import { asOperator } from '../../harness/operator.ts';
import { queryOnce, startPostgres } from '../../harness/postgres/postgres-server.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const PASSWORD = 'correct-horse';
const NOT_INDEXED = 'select seq from message_texts where seq > (select coalesce(max(seq), 0) from message_words)';
const ANY = { none: [], hasAttachment: false, unread: null, direction: null, after: null, before: null };
const KEYS = { ...ANY, all: [[{ column: null, text: 'keys', prefix: false }]] };
const FROM_THE_NEWEST = { below: null, downTo: null, after: null };
const silent = { info: () => {}, warn: () => {}, error: () => {} };

t.test('mail, search, webhooks, approval, quotas, commands', async (t) => {
  await using server = await startPostgres();
  const socket = new URL(server.url).searchParams.get('host') ?? '';
  const storageUrl = `postgres://postgres:${PASSWORD}@${encodeURIComponent(socket)}/postgres`;
  await using hooks = await startWebhookInstance({ storageUrl });
  const { instance } = hooks;
  const { ann } = instance.agents;
  const api = instance.client(ann);

  const { secret } = await api.webhooks.create({ url: hooks.url(), events: ['message.received'] });
  t.ok(secret);
  await hooks.mail('Übergabe of the blue keys');
  const [told] = await eventually(async () => hooks.receiver.requests.length > 0 && hooks.receiver.requests);
  t.match(JSON.parse(String(told?.body)), {
    event: 'message.received',
    data: { subject: 'Übergabe of the blue keys' },
  });
  const search = async (when: string) => {
    for (const query of ['ubergabe', 'subject:blue keys', '"the blue keys"', 'from:carol blu*']) {
      t.equal((await api.search.search({ q: query })).hits.length, 1, `${query} ${when}`);
    }
    t.equal((await api.search.search({ q: '"keys blue"' })).hits.length, 0, when);
  };
  await search('before it is indexed');
  await eventually(async () => (await queryOnce(server, NOT_INDEXED)).length === 0);
  await search('by the index');

  const asked: string[] = [];
  const onQuery = ({ sql }: { sql: string }) => void asked.push(sql);
  const { url } = instance.config.storage;
  const store = await openStore(url, { now: Date.now(), schema: 'require', onQuery });
  const agent = await findAgent(store.read, 'ann');
  asked.length = 0;
  const page = await store.search(agent ? [agent.mailboxId] : [], KEYS, FROM_THE_NEWEST, { limit: 5, timeMs: 9_000 });
  await store.close();
  t.equal(page.hits.length, 1);
  t.same(asked, [], 'a search is read and ranked in a thread, on no connection of the daemon');

  await asOperator(instance, (call) => call(agentsContract.hold, { agent: 'ann' }));
  const held = await api.messages.send({ to: ['carol@remote.test'], subject: 'Asked', body: 'May it go?' });
  await asOperator(instance, async (call) => {
    await call(reviewContract.approve, { pending_id: held.pendingId ?? '' });
    await call(agentsContract.hold, { agent: 'ann', hold: false });
  });
  const mails = await instance.receiver.waitFor(2);
  t.match(mails.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1]).sort(), [
    'A mail of ann waits for your decision',
    'Asked',
  ]);

  const rare = Array.from({ length: 990 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join('');
  const longest = `From: carol@remote.test\r\nTo: ${ann.address}\r\nSubject: ${rare}\r\nMessage-ID: <${rare}@a.test>\r\n\r\nLong.\r\n`;
  t.match(
    await sendMail(instance.smtpPort, { to: [ann.address], raw: longest }),
    /^250/,
    'the longest that an index takes',
  );
  t.equal((await api.messages.send({ to: ['carol@remote.test'], subject: rare, body: 'Long.' })).status, 'sent');

  await instance.inStore((store) => store.write((tx) => setPlan(tx, instance.workspace.id, 'free', null)));
  const agents = await Promise.all(Array.from({ length: 3 }, (_, n) => instance.addAgent(`agent-${n}`)));
  const answers = await Promise.all(
    agents.flatMap((agent, at) =>
      Array.from({ length: 20 }, (_, n) =>
        instance.request(agent, 'POST', '/v1/messages', {
          to: ['carol@remote.test'],
          subject: 'Hi',
          body: `Text ${'abcdefghijklmnopqrst'.charAt(n)}${'uvw'.charAt(at)}`,
        }),
      ),
    ),
  );
  t.equal(
    answers.filter(({ status }) => status === 200).length,
    48,
    "with the approved and the long one, the plan's fifty of a day",
  );
  t.equal(answers.filter(({ status }) => status === 422).length, 12);

  // Rows of other ranges of the index: they are looked in one after the other.
  const subjects = ['Übergabe of the blue keys'];
  for (const number of [40_000, 700_000]) {
    await queryOnce(server, `select setval(pg_get_serial_sequence('messages', 'seq'), ${number})`);
    subjects.unshift(`Übergabe of key ${number}`);
    await hooks.mail(subjects[0]);
  }
  const findKeys = async () => (await api.search.search({ q: 'ubergabe of key' })).hits.map(({ subject }) => subject);
  t.same(await findKeys(), subjects);
  await eventually(async () => (await queryOnce(server, NOT_INDEXED)).length === 0);
  t.same(await findKeys(), subjects);
  t.same((await api.search.search({ q: 'ubergabe -key' })).hits, []);
  const accents = await api.search.search({ q: 'z\u0301\u0301*' });
  t.same(accents.hits, [], 'no mark of the index is a word');
  t.same(instance.faults, []);

  const cli = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCli(instance.configPath, ...words);
    t.notMatch(stdout + stderr, new RegExp(PASSWORD), `${words[0]} has no password`);
    return { code, said: stdout + stderr };
  };
  t.match(await cli('backup', 'x.zst'), { code: 1, said: /pg_dump/ });
  t.match(await cli('compact'), { code: 1, said: /VACUUM FULL/ }, 'beside the daemon, too');
  t.match(await cli('verify-data'), { code: 0 });
  const { said } = await cli('doctor', '--json');
  const checks = (JSON.parse(said) as { checks: { name: string; status: string; detail: string }[] }).checks;
  t.match(
    checks.filter(({ name }) => name === 'database'),
    [{ status: 'ok', detail: /^PostgreSQL \d+/ }],
  );
  t.match(
    checks.filter(({ name }) => name === 'disk'),
    [{ detail: /for the mail log and certificates; PostgreSQL's disk is not seen/ }],
  );
  const unit = readFileSync(join(import.meta.dirname, '../../../systemd/postroom-backup.service'), 'utf8');
  const condition = /^ExecCondition=\/bin\/sh -c '(.*)'$/m.exec(unit)?.[1] ?? '';
  const runCondition = (config: string): number | null => {
    writeFileSync(join(instance.directory, 'nightly.toml'), config);
    const command = condition.replace('/etc/postroom/postroom.toml', join(instance.directory, 'nightly.toml'));
    return spawnSync('/bin/sh', ['-c', command]).status;
  };
  const config = readFileSync(instance.configPath, 'utf8');
  t.equal(runCondition(config), 1, 'the nightly backup is skipped');
  t.equal(runCondition(config.replace(storageUrl, 'sqlite:postroom.db')), 0, 'that of a file is not');
  await t.rejects(startDaemon({ ...instance.config, data_dir: t.testdir({}) }, silent), { name: 'LockedError' });
});

t.test('a server that cannot be used is refused with its reason', async (t) => {
  await using server = await startPostgres();
  await using hooks = await startWebhookInstance({ storageUrl: server.url });
  const { configPath } = hooks.instance;
  await hooks.instance.daemon.stop();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('alter role postgres set synchronous_commit = off');
  await client.end();
  t.match(await runCli(configPath, 'keys', 'list'), { code: 1, stderr: /synchronous_commit = off/ });
});
