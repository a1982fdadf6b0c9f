/** The commands of the page on a person's data, run as they stand. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { builtServer } from '../../harness/process.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';
import { listMail } from './mail-files.ts';

const PAGE = readFileSync(new URL('../../../src/docs/operate/personal-data.md', import.meta.url), 'utf8');
const WHO = 'carol@example.net';
const skip = existsSync('/usr/bin/jq') ? false : 'jq is not installed';

t.test('one person’s mail is handed out of all mailboxes, and deleted by its ids', { skip }, async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  await sendMail(instance.smtpPort, { to: [ann.address], headers: { From: WHO } });
  await sendMail(instance.smtpPort, { to: [ann.address], headers: { From: `not-${WHO}` } });
  await instance.client(bob).messages.send({ to: ['dave@remote.test'], bcc: [WHO], subject: 'Copy', body: 'Hi' });
  await instance.receiver.waitFor(1);
  const folder = t.testdir();
  writeFileSync(join(folder, 'postroom'), `#!/bin/sh\nexec "${process.execPath}" "${builtServer()}" "$@"\n`, {
    mode: 0o755,
  });
  const blocks = [...PAGE.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const script = blocks.join('\n').replace('https://mx.example.com', instance.baseUrl.replace(/\/$/, ''));
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, POSTROOM_CONFIG: instance.configPath };
  await promisify(execFile)('bash', ['-ec', script], { cwd: folder, env });
  const of = (agent: string) => readdirSync(join(folder, 'of-carol', agent)).length;
  t.same([of('ann'), of('bob')], [1, 1]);
  t.match(await listMail(instance, ann), [{ from: `not-${WHO}` }], 'the other sender’s mail stays');
  t.same(
    (await listMail(instance, bob)).filter(({ subject }) => subject === 'Copy'),
    [],
  );
  t.same(instance.faults, []);
});
