/** A data file of a version that sealed everything under the master key itself. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { openInstance } from '../../../src/app/instance.ts';
import { parseConfig } from '../../../src/config/config-text.ts';
import { ensureBaseDomain } from '../../../src/domains/base-domain.ts';
import { createSigningKeys, dkimContext } from '../../../src/domains/signing-keys.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { WebhookId } from '../../../src/kernel/ids.ts';
import { open, seal } from '../../../src/seal/envelope.ts';
import { readKeyFile, writeKeyFile } from '../../../src/seal/key-file.ts';
import { findWebhookById } from '../../../src/store/events/webhooks.ts';
import { createWebhookSeal, webhookHeaderContext, webhookSecretContext } from '../../../src/webhooks/secrets.ts';
import { dataFileOf } from '../../harness/postgres/test-location.ts';

const BASE = 'agents.box.test';
const WEBHOOK = '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40' as WebhookId;

const setUp = async (t: Test) => {
  const folder = t.testdir({});
  const text = `hostname = "mx.box.test"\nbase_domain = "${BASE}"\ndata_dir = "data"\n[vault]\nkey_file = "vault.key"\n`;
  const config = parseConfig(text, join(folder, 'postroom.toml'));
  writeKeyFile(config.vault.key_file);
  const instance = await openInstance(config);
  const { store, newId, vaultKey } = instance;
  if (!vaultKey) throw new Error('The vault is not open.');
  await ensureBaseDomain({ store, newId, vaultKey, clock: systemClock, baseDomain: BASE });
  const instanceKey = Buffer.from(vaultKey);
  await instance.close();

  // Takes it back to how an earlier version left it.
  const master = readKeyFile(config.vault.key_file);
  const data = new Database(dataFileOf(config));
  data.pragma('foreign_keys = OFF');
  data.exec('delete from vault_keys');
  const rows = data.prepare('select selector, sealed_private_key as sealed from dkim_keys').all() as {
    selector: string;
    sealed: Buffer;
  }[];
  for (const { selector, sealed } of rows) {
    const context = dkimContext(BASE, selector);
    const opened = open(instanceKey, sealed, context);
    if (!opened) throw new Error('The key does not open.');
    data
      .prepare('update dkim_keys set sealed_private_key = ? where selector = ?')
      .run(seal(master, opened, context), selector);
  }
  const secrets = seal(master, Buffer.from('[{"text":"whsec_x","until":null}]'), webhookSecretContext(WEBHOOK));
  const headers = seal(master, Buffer.from('{"x-a":"b"}'), webhookHeaderContext(WEBHOOK));
  data
    .prepare(
      `insert into webhooks (id, workspace_id, url, events, sealed_secrets, header_names, sealed_headers, active,
        failure_count, created_at, updated_at) values (?, ?, '', '[]', ?, '[]', ?, 1, 0, 0, 0)`,
    )
    .run(Buffer.from(WEBHOOK.replaceAll('-', ''), 'hex'), randomBytes(16), secrets, headers);
  data.close();
  return { config, keys: rows.length };
};

t.test('is sealed anew when it is first opened, and opens from then on', async (t) => {
  const { config, keys } = await setUp(t);
  t.equal(keys, 3);
  for (const time of ['the first', 'the second']) {
    const { store, vaultKey, close } = await openInstance(config);
    t.equal((await createSigningKeys(store.read, vaultKey)(BASE)).length, 2, `${time} time`);
    const webhook = await findWebhookById(store.read, WEBHOOK);
    const sealed = createWebhookSeal(vaultKey);
    t.same(webhook && sealed.openSecrets(WEBHOOK, webhook.sealedSecrets, 0), ['whsec_x']);
    t.same(webhook?.sealedHeaders && sealed.openHeaders(WEBHOOK, webhook.sealedHeaders), { 'x-a': 'b' });
    const master = readKeyFile(config.vault.key_file);
    t.equal(
      webhook && open(master, webhook.sealedSecrets, webhookSecretContext(WEBHOOK)),
      null,
      'not by the master key',
    );
    await close();
  }
});

t.test('is left as it is where the key file has another key', async (t) => {
  const { config } = await setUp(t);
  const key_file = `${config.vault.key_file}.other`;
  writeKeyFile(key_file);
  const other = await openInstance({ ...config, vault: { key_file, is_credential: false } });
  t.equal(other.vaultKey, null);
  t.equal(await other.vaultKeys.state(other.store.read), 'other');
  await other.close();
  const right = await openInstance(config);
  t.equal((await createSigningKeys(right.store.read, right.vaultKey)(BASE)).length, 2);
  await right.close();
});
