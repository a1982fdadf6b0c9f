/** The master key is replaced while the daemon serves. */

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '../../../src/cli/config-file.ts';
import { readKeyFile } from '../../../src/seal/key-file.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { envelopeIn, faultOfSignature, startWebhookInstance } from '../../harness/http/webhooks.ts';
import { addSecret, listActs } from '../../harness/operator.ts';

t.test('secrets, DKIM keys and webhook secrets stay in use; the old key alone opens nothing', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const { id } = await addSecret(instance, 'Shop', 'api_key', { key: 'sk_live_something' }, { grants: ['ann'] });
  const webhook = await api.webhooks.create({ url: hooks.url(), events: ['message.received'] });
  const keyFile = instance.config.vault.key_file;
  const old = readFileSync(keyFile);

  let isRotating = true;
  const reads = (async () => {
    const statuses = new Set<number>();
    while (isRotating) statuses.add((await instance.request(ann, 'GET', `/v1/secrets/${id}`)).status);
    return statuses;
  })();
  const rotation = await cliJson(instance.configPath, 'vault', 'rotate-key', '--yes');
  isRotating = false;
  t.same([...(await reads)], [200], 'every read meanwhile');
  t.match(rotation, { key_file: keyFile, old_key_file: `${keyFile}.old`, old_key_files: [`${keyFile}.old`], keys: 2 });
  t.same(readFileSync(`${keyFile}.old`), old);
  t.notSame(readFileSync(keyFile), old);
  t.equal(statSync(keyFile).mode & 0o777, 0o600);
  t.notOk(existsSync(`${keyFile}.new`));

  const works = async (about: string, mails: number) => {
    t.same((await api.secrets.get({ id })).secret, { key: 'sk_live_something' }, about);
    await api.messages.send({ to: ['carol@remote.test'], subject: about, body: 'Hi' });
    const sent = (await instance.receiver.waitFor(mails)).at(-1);
    t.match(sent?.raw.toString(), /^DKIM-Signature:/m, about);
    await hooks.mail();
    const event = (await receiver.waitFor(mails)).at(-1);
    t.equal(event && faultOfSignature(event, webhook.secret), null, about);
    t.equal(event && envelopeIn(event).event, 'message.received');
  };
  await works('the daemon that had read the old key', 1);
  const later = await addSecret(instance, 'Later', 'other', { data: 'sealed after it' }, { grants: ['ann'] });
  t.same((await api.secrets.get({ id: later.id })).secret, { data: 'sealed after it' });
  await instance.restart();
  await works('one that starts with the new key', 2);
  t.match(await listActs(instance).then((acts) => acts.find(({ action }) => action === 'vault.rotate_key')), {
    actor: 'operator',
    via: 'CLI',
    detail: { keys: 2 },
  });
  t.match(await cliJson(instance.configPath, 'activity', 'verify'), { ok: true, rows_without_mac: 0 });

  chmodSync(keyFile, 0o644);
  const ready = async () => (await fetch(new URL('/readyz', instance.baseUrl))).json();
  t.match(await ready(), { vault: 'key file has a wrong mode or content' }, 'as a restart would find it');
  chmodSync(keyFile, 0o600);
  t.match(await ready(), { vault: 'open' });
  t.same(instance.faults, []);

  // As a thief of the data has it who has the old key.
  renameSync(keyFile, `${keyFile}.away`);
  renameSync(`${keyFile}.old`, keyFile);
  await instance.restart();
  t.match(await (await fetch(new URL('/readyz', instance.baseUrl))).json(), {
    ready: false,
    vault: 'key does not fit',
  });
  t.match(await (await instance.request(ann, 'GET', `/v1/secrets/${id}`)).json(), { error: 'vault_unavailable' });
  t.match(await runCli(instance.configPath, 'vault', 'rotate-key', '--yes'), { code: 1 });
  renameSync(keyFile, `${keyFile}.before`);
  t.match(await ready(), { vault: 'key missing' });
  // As after a restore of data from before a rotation.
  renameSync(`${keyFile}.away`, `${keyFile}.old`);
  await instance.restart();
  t.match(await ready(), { ready: true, vault: 'open' }, 'the key beside the file opens all of it');
  t.same((await api.secrets.get({ id })).secret, { key: 'sk_live_something' });
  renameSync(`${keyFile}.old`, keyFile);
  renameSync(`${keyFile}.before`, `${keyFile}.old`);
  await instance.restart();
  t.same((await api.secrets.get({ id })).secret, { key: 'sk_live_something' });
  const { stdout } = await runCli(instance.configPath, 'vault', 'rotate-key', '--yes');
  t.match(stdout, /^earlier keys .*vault\.key\.old, .*vault\.key\.old\.1$/m);
  t.match(stdout, /^wrapped anew +the instance's own key, and those of 1 workspace with secrets$/m);
  t.same(readFileSync(`${keyFile}.old.1`), old);
});

t.test("systemd's credential goes before the file that the config names", (t) => {
  const folder = t.testdir({ 'postroom.toml': 'hostname = "mx.box.test"\nbase_domain = "agents.box.test"\n' });
  const flag = join(folder, 'postroom.toml');
  const credentials = join(folder, 'credentials');
  mkdirSync(credentials);
  const load = () => loadConfig({ flag, env: { CREDENTIALS_DIRECTORY: credentials } }).config.vault;
  t.same(load(), { key_file: '/etc/postroom/vault.key', is_credential: false }, 'without one of that name');
  const file = join(credentials, 'vault.key');
  writeFileSync(file, 'none');
  t.same(load(), { key_file: '/etc/postroom/vault.key', is_credential: false }, "the unit's word for a missing file");
  writeFileSync(file, Buffer.alloc(32, 7));
  chmodSync(file, 0o440);
  t.same(load(), { key_file: file, is_credential: true, configured_file: '/etc/postroom/vault.key' });
  t.same(loadConfig({ flag, env: {} }).config.vault.is_credential, false);
  // The access list that systemd gives shows as the group's bits.
  chmodSync(file, 0o440);
  t.same(Buffer.from(readKeyFile(file, true)), Buffer.alloc(32, 7));
  t.throws(() => readKeyFile(file), { message: /has mode 0440/ });
  chmodSync(file, 0o444);
  t.throws(() => readKeyFile(file, true), { message: /has mode 0444/ });
  t.end();
});
