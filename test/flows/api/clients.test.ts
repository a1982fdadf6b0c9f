/** The clients' packages as a developer installs them: each stands alone, and does what its documentation says. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { readDocument } from '../../../scripts/clients/document.ts';
import { toTypeScript } from '../../../scripts/clients/typescript.ts';
import { createConsumer, missingConsumer, ROOT } from '../../harness/consumer.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { atNight } from '../../harness/long-form.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const run = promisify(execFile);
const MAX_PACKED_BYTES = 60 * 1024;
const PYTHON = '/usr/bin/python3';

/** The programs of a page in a language, block by block. */
const snippetsOf = (page: string, language: string): string[] =>
  [
    ...readFileSync(`${ROOT}/src/docs/${page === 'webhooks' ? '' : 'clients/'}${page}.md`, 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'),
    ),
  ].map(([, source]) => source ?? '');

let packages: string;
t.before(async () => {
  packages = t.testdir();
  await run(process.execPath, [join(ROOT, 'scripts/clients/main.ts'), packages]);
});

const find = (ending: string): string => {
  const name = readdirSync(packages).find((file) => file.endsWith(ending));
  if (name === undefined) throw new Error(`No ${ending} was made.`);
  return join(packages, name);
};

/** A program that listens for events prints one; any mail ends it. */
const expectHeard = async (t: Test, instance: TestInstance, heard: Promise<string>): Promise<void> => {
  const to = [instance.agents.ann.address];
  const line = await eventually(async () => {
    // It may take a moment to listen.
    await sendMail(instance.smtpPort, { to, headers: { Subject: 'Live' } });
    return Promise.race([heard, new Promise<false>((resolve) => setTimeout(() => resolve(false), 300))]);
  }, 20_000);
  t.match(line, /Carol <carol@remote\.test> Live/);
};

t.test(
  'TypeScript: the snippets of the docs, in a project with this package alone',
  {
    skip: missingConsumer,
  },
  async (t) => {
    await using instance = await startInstance();
    // The package's own types are checked as well.
    using consumer = createConsumer({ skipLibCheck: false, skipDefaultLibCheck: true });
    const packed = find('.tgz');
    t.ok(statSync(packed).size < MAX_PACKED_BYTES, `${statSync(packed).size} bytes`);
    await consumer.npm('install', '--ignore-scripts', '--offline', '--no-audit', packed);
    const installed = join(consumer.directory, 'node_modules');
    t.same(
      readdirSync(installed).filter((name) => !name.startsWith('.')),
      ['postroom-client'],
    );
    const env = { POSTROOM_URL: instance.baseUrl, POSTROOM_API_KEY: instance.agents.ann.key };
    const snippets = snippetsOf('client', 'ts');
    const names = ['list.ts', 'send.ts', 'errors.ts', 'events.ts'];
    t.equal(snippets.length, names.length);
    for (const [at, name] of names.entries()) consumer.write(name, snippets[at] ?? '');
    consumer.write('webhook.ts', snippetsOf('webhooks', 'ts')[0] ?? '');
    consumer.write('example.ts', snippetsOf('examples', 'ts')[0] ?? '');
    consumer.write(
      'forms.ts',
      `import { createClient, signUp, type PostroomEvent } from 'postroom-client';
const settings = { baseUrl: process.env.POSTROOM_URL ?? '', apiKey: process.env.POSTROOM_API_KEY ?? '' };
const postroom = createClient(settings);
const mail = { to: ['bob@${'remote.test'}'], subject: 'Lunch', body: 'Noon?' };
const tried = await postroom.messages.send({ ...mail, dry_run: true });
const outcome: 'sent' | 'held' | 'rejected' = tried.outcome;
// @ts-expect-error a dry run has no id
tried.messageId;
// @ts-expect-error there is no such field
await postroom.messages.list({ unread: true }).catch(() => undefined);
// @ts-expect-error a subject is missing
await postroom.messages.send({ to: ['bob@remote.test'] }).catch(() => undefined);
const [first] = (await postroom.messages.list()).messages;
const raw = await postroom.messages.raw({ id: first?.id ?? '' });
const { api_key } = await signUp(settings, { handle: 'pilot', email: 'pilot@remote.test' });
const show = (event: PostroomEvent) => (event.event === 'message.bounced' ? event.data.bounce_type : event.id);
console.log(outcome, raw.contentType, raw.content.length > 100, api_key.startsWith('svc_'), typeof show);
`,
    );
    await consumer.check(...names, 'webhook.ts', 'example.ts', 'forms.ts');

    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], text: 'Your code is 482913.' });
    t.match(await consumer.run('list.ts', env), /Carol <carol@remote\.test> A question \[ '482913' \]/);
    t.match(await consumer.run('errors.ts', env), /^404 message_not_found .* \{\} null [\w-]+\n$/);
    t.equal(await consumer.run('forms.ts', env), 'sent message/rfc822 true true function\n');

    const sent = await consumer.run('send.ts', env);
    t.match(sent, /^sent [\w-]{36}\n$/);
    t.equal(await consumer.run('send.ts', env), sent, 'the same key is the same send');
    t.match(await consumer.run('example.ts', { ...env, TO: instance.agents.bob.address }), /^sent \n/);
    await expectHeard(t, instance, consumer.run('events.ts', env));
    t.same(instance.faults, []);
  },
);

/** Names each operation of the contracts with an input or an output that the other types do not have. */
const AGREEMENT = `import type * as own from '${ROOT}/src/client/operations.ts';
import type * as made from './operations.ts';

type Differ<O, M> = {
  [K in keyof O]: K extends keyof M
    ? O[K] extends { input: infer I; output: infer A }
      ? M[K] extends { input: infer MadeInput; output: infer MadeOutput }
        ? [MadeInput, A] extends [I, MadeOutput] ? never : K
        : K
      : K
    : K;
}[keyof O];
type Resources = { [N in keyof own.Operations]: N extends keyof made.Operations ? Differ<own.Operations[N], made.Operations[N]> : N };
type Events = { [N in keyof own.EventData]: own.EventData[N] extends made.EventData[N] ? never : N };
type More = Exclude<keyof made.Operations, keyof own.Operations> | Events[keyof Events];
type All = [Resources[keyof Resources] | Differ<{ signUp: own.SignUp }, { signUp: made.SignUp }>, More];
export const isNone: All extends [never, never] ? true : All = true;
`;

t.test('the types that are made of the document are those of the contracts', { skip: atNight }, async (t) => {
  // One run of the compiler reads both: the types as they are made, and the same with a field of another type.
  const directory = t.testdir({
    'agreement.ts': AGREEMENT,
    'damaged.ts': AGREEMENT.replace('./operations.ts', './damaged-operations.ts'),
  });
  const source = toTypeScript(readDocument()).replace('./call.ts', `${ROOT}/src/client/call.ts`);
  writeFileSync(join(directory, 'operations.ts'), source);
  writeFileSync(join(directory, 'damaged-operations.ts'), source.replace('"subject": string;', '"subject": number;'));
  const settings = { extends: join(ROOT, 'tsconfig.json'), include: [], files: ['agreement.ts', 'damaged.ts'] };
  const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ ...settings, compilerOptions }));
  const done = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', directory]).catch((error: unknown) => error);
  const errors = (done as { stdout: string }).stdout.split('\n').filter((line) => /^\S/.test(line));
  t.match(errors, [/damaged\.ts.* is not assignable/]);
  t.equal(errors.length, 1);
});

const FORMS = `import os
import sys
from typing import Literal
from postroom_client import Postroom, WebhookVerificationError, verify_webhook

postroom = Postroom(os.environ["POSTROOM_URL"], os.environ["POSTROOM_API_KEY"])
tried = postroom.send_message(to=["bob@remote.test"], subject="Lunch", body="Noon?", dry_run=True)
outcome: Literal["sent", "held", "rejected"] = tried["outcome"]
first = postroom.list_messages(direction="in", limit=1)["messages"][0]
raw = postroom.get_raw_message(id=first["id"])
made = Postroom(os.environ["POSTROOM_URL"]).sign_up(handle="pilot", email="pilot@remote.test")
try:
    verify_webhook(b"{}", "t=1,v1=" + "0" * 64, "whsec_x")
except WebhookVerificationError as error:
    print(error)
print(outcome, raw.content_type, len(raw.content) > 100, made["api_key"].startswith("svc_"))
for event in postroom.events(sys.argv[1] if len(sys.argv) > 1 else None):
    if event["event"] == "message.received":
        print(event["data"]["from"], event["data"]["subject"])
        break
`;
const WRONG = `from postroom_client import Postroom
Postroom("").send_message(to=["bob@remote.test"])
Postroom("").list_messages(unread=True)
Postroom("").get_identity()["nothing"]
`;

t.test('Python: the snippets of the docs, typed, by its standard library alone', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const directory = t.testdir();
  const target = join(directory, 'packages');
  const pip = (...args: string[]) =>
    run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--no-index', '--root-user-action=ignore', ...args]);
  for (const ending of ['.whl', '.tar.gz']) t.ok(statSync(find(ending)).size < MAX_PACKED_BYTES, ending);
  await pip('--target', target, find('.whl'));
  const modules = (folder: string) =>
    readdirSync(join(folder, 'postroom_client')).filter((name) => !/^__py/.test(name));
  await t.test('the source distribution holds the same', { skip: atNight }, async (t) => {
    const built = join(directory, 'from-source');
    await pip('--no-build-isolation', '--no-compile', '--target', built, find('.tar.gz'));
    t.same(modules(built), modules(target));
  });

  const write = (name: string, source: string) => writeFileSync(join(directory, name), source);
  const snippets = snippetsOf('python', 'python');
  const names = ['list.py', 'send.py', 'wait.py', 'errors.py'];
  t.equal(snippets.length, names.length);
  for (const [at, name] of names.entries()) write(name, snippets[at] ?? '');
  write('forms.py', FORMS);
  write('wrong.py', WRONG);
  // Of the standard library's types, which are most of the work, and are the same the next time.
  const cache = join(ROOT, 'node_modules/.cache/postroom-test-mypy');
  mkdirSync(cache, { recursive: true });
  const check = (...files: string[]) =>
    run('mypy', ['--strict', '--python-version', '3.11', '--cache-dir', cache, ...files], {
      cwd: directory,
      env: { ...process.env, MYPYPATH: target },
    });
  const found = await check(...names, 'forms.py', 'wrong.py').catch(({ stdout }: { stdout: string }) => stdout);
  t.match(found, /^wrong\.py:.*subject.*\n.*unread.*\n.*nothing.*\nFound 3 errors in 1 file \(checked 6 /is);

  const python = async (file: string, TO = 'carol@remote.test') => {
    const env = { PYTHONPATH: target, POSTROOM_URL: instance.baseUrl, POSTROOM_API_KEY: ann.key, TO };
    return (await run(PYTHON, ['-u', file], { cwd: directory, env })).stdout;
  };
  await sendMail(instance.smtpPort, { to: [ann.address], text: 'Your code is 482913.' });
  t.match(await python('list.py'), /Carol <carol@remote\.test> A question \['482913'\] \d+/);
  t.match(await python('errors.py'), /^404 message_not_found .* \{\} None [\w-]+\n$/);
  const sent = await python('send.py');
  t.match(sent, /^sent [\w-]{36}\n$/);
  t.equal(await python('send.py'), sent, 'the same key is the same send');
  await sendMail(instance.smtpPort, {
    to: [ann.address],
    headers: { From: 'shop@remote.test', Subject: 'Your order' },
    text: 'Your code is 771204.',
  });
  t.match(await python('wait.py'), /^Your order \['771204'\]\n/);
  const heard = python('forms.py');
  await expectHeard(t, instance, heard);
  t.match(await heard, /5 minutes.*\nsent message\/rfc822 True True\n/);
  t.same(instance.faults, []);
});

const AGAIN = `import os
from postroom_client import Postroom, PostroomError, call

call.time.sleep = lambda seconds: None
postroom = Postroom(os.environ["POSTROOM_URL"], "svc_x")
print(postroom.send_message(to=["a@b.test"], subject="s", body="b", reply_to=None)["status"])
heard = postroom.events()
for make in (postroom.get_identity, lambda: postroom.create_note(title="t", body="b"), lambda: next(heard), lambda: next(heard)):
    try:
        print(make()["id"])
    except PostroomError as error:
        print(error.status, error.code, error.retry_after)
`;

t.test('Python: what is safe to repeat is made again; a stream goes on; no redirect is followed', async (t) => {
  const asked: { url: string; key: unknown; last: unknown; body: string }[] = [];
  const busy = [503, { 'retry-after': '0' }, '{"error":"overloaded","hint":"Busy"}'] as const;
  const restarting = [502, {}, '<html>Bad gateway</html>'] as const;
  const inFlight = [409, { 'retry-after': '1' }, '{"error":"idempotency_in_flight","hint":"Soon"}'] as const;
  const event = 'id: evt_1\nevent: message.sent\ndata: {"id":"evt_1"}\n\n';
  const answers = [
    ...[restarting, inFlight, [200, {}, '{"status":"sent"}'], [302, { location: '/elsewhere' }, ''], busy],
    ...[[200, {}, `id: evt_0\nretry: 2000\n\n${event.slice(0, -9)}`], restarting, [200, {}, event]],
    [401, {}, '{"error":"invalid_key","hint":"Revoked"}'],
  ] as const;
  const server = createServer(async (request, response) => {
    const [status, head, said] = answers[asked.length] ?? busy;
    const { 'idempotency-key': key, 'last-event-id': last } = request.headers;
    asked.push({ url: request.url ?? '', key, last, body: await text(request) });
    response.writeHead(status, head).end(said);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const directory = t.testdir({ 'again.py': AGAIN });
  await run(PYTHON, ['-m', 'zipfile', '-e', find('.whl'), directory]);
  const env = { POSTROOM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { stdout } = await run(PYTHON, ['again.py'], { cwd: directory, env });
  t.equal(stdout, 'sent\n302 invalid_response None\n503 overloaded 0\nevt_1\n401 invalid_key None\n');
  const [first, second, third, fourth, fifth, ...listening] = asked;
  t.match(first, { url: '/v1/messages', key: /^[\w-]{36}$/ });
  t.same(JSON.parse(first?.body ?? ''), { to: ['a@b.test'], subject: 's', body: 'b', reply_to: null });
  t.same([second, third], [first, first]);
  t.same([fourth?.url, fifth?.url, fifth?.key], ['/v1/identity', '/v1/notes', undefined]);
  t.same(
    listening.map(({ last }) => last),
    [undefined, 'evt_0', 'evt_0', 'evt_1'],
    'after the last that it has heard whole',
  );
});
