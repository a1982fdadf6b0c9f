/** The knowledge base with an endpoint for embeddings: found by meaning, and never in the way where it is down. */

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startDaemon } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config/config-text.ts';
import { runCli } from '../../harness/cli.ts';
import { type EmbeddingsServer, startEmbeddings, toReply, toVector } from '../../harness/http/embeddings-server.ts';
import { html, startSite } from '../../harness/http/site.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { createLibrarian, FAST } from '../../harness/knowledge.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const DIMENSIONS = 256;
const EAGER = { intervalMs: 5, backOffMs: 40, maxBackOffMs: 80 };

const configOf = ({ url }: EmbeddingsServer, more = ''): string =>
  `[knowledge.embeddings]\nurl = "${url}"\nmodel = "bag"\ndimensions = ${DIMENSIONS}\n${more}`;

const start = (server: EmbeddingsServer, { limits = {}, more = '' } = {}): Promise<TestInstance> =>
  startInstance({ toml: configOf(server, more), runtime: { ...FAST, embeddings: { ...EAGER, ...limits } } });

const countVectors = (instance: TestInstance): Promise<number> =>
  instance.inStore(async ({ read }) => (await read.selectFrom('knowledge_vectors').select('book').execute()).length);

const countUnseen = (instance: TestInstance, model = 1): Promise<number> =>
  instance.inStore(
    async ({ read }) =>
      (await read.selectFrom('knowledge_passages').select('seq').where('embedded_by', '<', model).execute()).length,
  );

const untilEmbedded = (instance: TestInstance, model = 1) =>
  eventually(async () => (await countUnseen(instance, model)) === 0, 20_000);

const PARCELS = { kind: 'text', title: 'Lost goods', body: 'When a parcel goes missing, write to the depot in Leeds.' };
const OTHERS = [
  { kind: 'text', title: 'Opening hours', body: 'The office opens at nine and closes at five.' },
  { kind: 'text', title: 'Coffee', body: 'The machine on the second floor makes the best espresso.' },
];

const addAll = async (instance: TestInstance, sources: readonly object[] = [PARCELS, ...OTHERS]): Promise<string[]> => {
  const library = createLibrarian(instance);
  const ids: string[] = [];
  for (const source of sources) ids.push((await library.addAndSettle(source)).id);
  return ids;
};

const diagnose = async (t: Test, instance: TestInstance, expected: object): Promise<void> => {
  const { stdout } = await runCli(instance.configPath, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
  t.match(
    checks.filter(({ name }) => name === 'embeddings'),
    [expected],
  );
};

t.test('a synonym finds what words alone do not; the key is sent', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  const key = join(t.testdir(), 'key');
  writeFileSync(key, 'sk-test-key\n', { mode: 0o600 });
  await using instance = await start(server, { more: `api_key_file = "${key}"\n` });
  const library = createLibrarian(instance);
  const [id = ''] = await addAll(instance);
  await untilEmbedded(instance);
  t.equal(await countVectors(instance), 3);
  t.same([...new Set(server.asked.map(({ authorization }) => authorization))], ['Bearer sk-test-key']);
  t.same([...new Set(server.asked.map(({ model }) => model))], ['bag']);
  t.ok(
    server.texts().includes('Lost goods\nWhen a parcel goes missing, write to the depot in Leeds.'),
    'with its title',
  );
  t.match(await library.search('shipment', 1), [{ source_id: id, title: 'Lost goods', passage: /parcel/ }]);
  t.match((await library.search('espresso shipment'))[0], { title: 'Coffee' }, 'what both know goes before');
  const asked = server.asked.length;
  await library.search('shipment', 1);
  t.equal(server.asked.length, asked, 'the vector of a search is remembered');

  const bare = await instance.addWorkspace('Other');
  const stranger = createLibrarian(instance, await instance.addAgent('eve', bare));
  t.same(await stranger.search('shipment'), []);
  await stranger.addAndSettle({ kind: 'text', title: 'Elsewhere', body: 'Nothing of the kind.' });
  await untilEmbedded(instance);
  for (const hit of await stranger.search('shipment')) t.equal(hit.title, 'Elsewhere', 'the vectors of its workspace');

  await library.ask('DELETE', `/v1/knowledge/sources/${id}`);
  t.same(
    (await library.search('shipment')).filter(({ title }) => title === 'Lost goods'),
    [],
  );
  await instance.daemon.jobs.runAll();
  t.equal(await countVectors(instance), 3, 'the vectors of a deleted source go with it');
  t.same(instance.faults, []);
});

t.test('off by default: no request, no vector', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  await using instance = await startInstance({ runtime: FAST });
  await addAll(instance);
  const library = createLibrarian(instance);
  t.same(await library.search('shipment'), []);
  t.match(await library.search('parcel'), [{ title: 'Lost goods' }]);
  t.equal(await countVectors(instance), 0);
  await diagnose(t, instance, { status: 'skipped' });
  t.same(server.paths, []);
});

t.test('down, slow or broken: words alone, in time, and the endpoint is left alone', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  await using instance = await start(server, { limits: { queryMs: 100, backOffMs: 60_000, maxBackOffMs: 60_000 } });
  const library = createLibrarian(instance);
  await addAll(instance);
  await untilEmbedded(instance);
  const held: { destroy(): void }[] = [];
  const wrong: Record<string, Parameters<EmbeddingsServer['answer']>[0]> = {
    'too few numbers': ({ input }) => toReply(input.map((text) => toVector(text, 8))),
    'fifty megabytes': () => ({ body: Buffer.alloc(50_000_000, '[') }),
    silence: (_asked, response) => {
      held.push(response);
      return 'answered';
    },
  };
  // Each begins with a breaker that is closed.
  for (const [name, answer] of Object.entries(wrong)) {
    await instance.restart();
    server.answer(answer ?? null);
    const before = server.asked.length;
    const words = ['parcel leeds', 'missing parcel', 'parcel depot', 'the parcel', 'parcel write', 'parcel goes'];
    for (const query of words) {
      const begun = performance.now();
      t.match(await library.search(query, 1), [{ title: 'Lost goods' }], `${name}: ${query}`);
      t.ok(performance.now() - begun < 5_000, `${name}: in time`);
    }
    t.same(await library.search('shipment'), [], `${name}: by words alone`);
    // On a busy machine a question may be late before it has reached the server.
    t.ok(server.asked.length - before <= 3, `${name}: left alone after three failures`);
    server.answer(null);
  }
  const warnings = instance.warned.filter(({ message }) => /embeddings endpoint fails searches/.test(message));
  t.equal(warnings.length, Object.keys(wrong).length, 'told once for each');
  for (const response of held) response.destroy();
  await instance.restart();
  t.match(await library.search('shipment', 1), [{ title: 'Lost goods' }], 'once it answers again');
  t.same(instance.faults, []);
});

t.test(
  'passages wait for an endpoint that is down, also over a restart; what it refuses waits for nothing',
  async (t) => {
    await using server = await startEmbeddings(DIMENSIONS);
    await using instance = await start(server);
    const library = createLibrarian(instance);
    server.answer(() => ({ status: 503 }));
    await addAll(instance);
    await eventually(async () => server.asked.length >= 2, 10_000);
    t.equal(await countVectors(instance), 0);
    t.match(await library.search('parcel', 1), [{ title: 'Lost goods' }]);
    await instance.restart();
    server.answer(null);
    await untilEmbedded(instance);
    t.equal(await countVectors(instance), 3);

    // Any batch that has the text is refused.
    server.answer(({ input }) => (input.some((text) => /poison/.test(text)) ? { status: 400, body: '{}' } : null));
    await addAll(instance, [
      {
        kind: 'text',
        title: 'Bad',
        body: Array.from({ length: 20 }, (_, n) => `# Part ${n}\n\n${n === 7 ? 'poison' : 'good'} words`).join('\n\n'),
      },
    ]);
    await untilEmbedded(instance);
    t.equal(await countVectors(instance), 3 + 19, 'all but the one');
    t.match(await library.search('poison', 1), [{ title: 'Bad' }], 'which words find');

    const asked = server.asked.length;
    await instance.restart();
    await library.search('anything at all');
    t.equal(server.asked.length, asked + 1, 'nothing is asked twice');
    t.same(instance.faults, []);
  },
);

t.test('another model or length: all passages again, in the background', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  await using instance = await start(server);
  await addAll(instance);
  await untilEmbedded(instance);
  await instance.daemon.stop();
  await using other = await startEmbeddings(64);
  const folder = instance.directory;
  const toml = configOf(server)
    .replace('"bag"', '"other"')
    .replace(`= ${DIMENSIONS}`, '= 64')
    .replace(server.url, other.url);
  const { readFileSync } = await import('node:fs');
  const text = readFileSync(instance.configPath, 'utf8');
  const config = parseConfig(
    text.slice(0, text.indexOf('[knowledge.embeddings]')) + toml,
    join(folder, 'postroom.toml'),
  );
  const log = { info: () => {}, warn: () => {}, error: (fields: object) => t.fail(JSON.stringify(fields)) };
  const { systemRuntime } = await import('../../../src/app/instance.ts');
  const daemon = await startDaemon(config, log, { ...systemRuntime, embeddings: EAGER });
  await untilEmbedded(instance, 2);
  t.match(await createLibrarian(instance).search('shipment', 1), [{ title: 'Lost goods' }]);
  t.same([...new Set(other.asked.map(({ model }) => model))], ['other']);
  await daemon.stop();
  const sizes = await instance.inStore(({ read }) => read.selectFrom('knowledge_vectors').select('vector').execute());
  t.same(
    sizes.map(({ vector }) => vector.length),
    [64, 64, 64],
  );
  await instance.restart();
});

t.test('a page that changes, and one that goes', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  await using instance = await start(server);
  let body = '<h1>Rules</h1><p>A refund takes ten days.</p>';
  await using site = await startSite(({ url }) => (url === '/a' ? html('Rules', body) : null));
  const library = createLibrarian(instance);
  const { id } = await library.addAndSettle({ kind: 'page', url: `${site.origin}/a` });
  await untilEmbedded(instance);
  t.match(await library.search('reimbursement', 1), [{ passage: /ten days/ }]);
  body = '<h1>Rules</h1><p>An automobile may stand in the yard.</p>';
  await library.refresh(id);
  await library.settled(id);
  await untilEmbedded(instance);
  t.equal(await countVectors(instance), 1);
  t.match(await library.search('car', 1), [{ passage: /automobile/ }]);
  t.same(instance.faults, []);
});

ofSqlite(t, 'a file is restored')('doctor; backup, restore and the file without the extension', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  await using instance = await start(server);
  const ids = await addAll(instance);
  await untilEmbedded(instance);
  await diagnose(t, instance, { status: 'ok', detail: 'The endpoint answers.' });
  server.answer(() => ({ status: 401 }));
  await diagnose(t, instance, { status: 'warn', detail: /it answered 401/ });
  server.answer(null);

  const backup = join(t.testdir(), 'backup.zst');
  t.equal((await runCli(instance.configPath, 'backup', backup)).code, 0);
  await instance.daemon.stop();
  t.equal((await runCli(instance.configPath, 'verify-data')).code, 0);
  t.equal((await runCli(instance.configPath, 'restore', backup, '--replace', '--yes')).code, 0);
  await instance.restart();
  const library = createLibrarian(instance);
  t.match(await library.search('shipment', 1), [{ title: 'Lost goods' }], 'from the restored vectors');
  const asked = server.asked.length;

  await instance.daemon.stop();
  const off = {
    ...instance.config,
    knowledge: { embeddings: { ...instance.config.knowledge.embeddings, url: null } },
  };
  const log = { info: () => {}, warn: () => {}, error: (fields: object) => t.fail(JSON.stringify(fields)) };
  const { systemRuntime } = await import('../../../src/app/instance.ts');
  const daemon = await startDaemon(off, log, systemRuntime);
  t.same(await library.search('shipment'), []);
  t.match(await library.search('parcel', 1), [{ title: 'Lost goods' }]);
  await library.ask('DELETE', `/v1/knowledge/sources/${ids[0]}`);
  await daemon.jobs.runAll();
  t.equal(await countVectors(instance), 2, 'vectors go without the extension as well');
  t.equal(server.asked.length, asked);
  await daemon.stop();
  await instance.restart();
});

t.test('the file of the key', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  const key = join(t.testdir(), 'key');
  const from = (more: string) =>
    parseConfig(
      `hostname = "mx.a.test"\nbase_domain = "b.test"\n${configOf(server, more)}`,
      join(t.testdirName, 'p.toml'),
    );
  const { createEmbeddings } = await import('../../../src/app/knowledge/embeddings-part.ts');
  const made = () => createEmbeddings(from(`api_key_file = "${key}"`), { runtime: {}, extraCa: null } as never);
  t.throws(made, /api_key_file cannot be read/);
  writeFileSync(key, 'two\nlines', { mode: 0o600 });
  t.throws(made, /holds no key/);
  chmodSync(key, 0o644);
  t.throws(made, /chmod 600/);
  t.throws(
    () =>
      from('').toString() &&
      parseConfig(
        'hostname = "a.test"\nbase_domain = "b.test"\n[knowledge.embeddings]\nurl = "http://127.0.0.1/v1"\n',
        'x',
      ),
    /knowledge\.embeddings\.model[\s\S]*dimensions/,
  );
});
