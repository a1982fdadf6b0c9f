/** The package as a developer installs it: its client runs as the documentation says, from the packed tarball. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { createConsumer, missingConsumer, ROOT } from '../../harness/consumer.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

/** The TypeScript of a page, block by block. */
const snippetsOf = (page: string): string[] =>
  [...readFileSync(`${ROOT}/src/docs/${page}.md`, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, source]) => source ?? '',
  );

t.test('the snippets of the docs, run against the packed tarball', { skip: missingConsumer }, async (t) => {
  await using instance = await startInstance();
  using consumer = createConsumer();
  await consumer.npm('pack', ROOT, '--pack-destination', consumer.directory, '--silent');
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { version: string };
  await consumer.npm('install', '--ignore-scripts', '--prefer-offline', '--no-audit', `./postroom-${version}.tgz`);
  const env = { POSTROOM_URL: instance.baseUrl, POSTROOM_API_KEY: instance.agents.ann.key };
  const snippets = snippetsOf('client');
  const names = ['list.ts', 'send.ts', 'errors.ts', 'events.ts'];
  t.equal(snippets.length, names.length);
  for (const [at, name] of names.entries()) consumer.write(name, snippets[at] ?? '');
  consumer.write('webhook.ts', snippetsOf('webhooks')[0] ?? '');
  consumer.write('example.ts', snippetsOf('examples')[0] ?? '');
  await consumer.check(...names, 'webhook.ts', 'example.ts');

  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], text: 'Your code is 482913.' });
  t.match(await consumer.run('list.ts', env), /Carol <carol@remote\.test> A question \[ '482913' \]/);
  t.match(await consumer.run('errors.ts', env), /^404 message_not_found .* \{\} null [\w-]+\n$/);

  const sent = await consumer.run('send.ts', env);
  t.match(sent, /^sent [\w-]{36}\n$/);
  t.equal(await consumer.run('send.ts', env), sent, 'the same key is the same send');
  t.match(await consumer.run('example.ts', { ...env, TO: instance.agents.bob.address }), /^sent \n/);

  const heard = consumer.run('events.ts', env);
  const deliver = () =>
    sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: 'Live' } });
  // The program may take a moment to listen; any mail ends it.
  const line = await eventually(async () => {
    await deliver();
    return Promise.race([heard, new Promise<false>((resolve) => setTimeout(() => resolve(false), 300))]);
  }, 20_000);
  t.match(line, /Carol <carol@remote\.test> Live/);
  t.same(instance.faults, []);
});
