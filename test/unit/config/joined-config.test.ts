import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'smol-toml';
import t from 'tap';
import { toJoinedConfig } from '../../../src/config/joined-config.ts';

const OWN = { url: 'postgres://db.test/postroom', dataDir: '/var/lib/postroom', keyFile: '/etc/postroom/vault.key' };
const HEAD = 'hostname = "mx.example.com"\nbase_domain = "agents.example.com"\n';

t.test('every key of the example config is in the config of a further box, but for its database', (t) => {
  const example = readFileSync(resolve(import.meta.dirname, '../../../config/postroom.example.toml'), 'utf8');
  const { toml, leftOut } = toJoinedConfig(example, OWN);
  t.same(parse(toml), { ...parse(example), storage: { url: OWN.url } });
  t.same(leftOut, []);
  t.end();
});

t.test('values that are no defaults are kept', (t) => {
  const written = `${HEAD}
[outbound]
smarthost = "smtp://user:p%40ss@host:587"
smarthosts = { "example.com" = "smtp://u:p@smtp.example.net:587" }
[smtp]
listen = ["0.0.0.0:2525", "[::1]:26"]
trusted = ["10.0.0.0/8"]
[smtp.limits]
unknown_recipient_delay_seconds = 0.5
[dns.server]
listen = ["[::]:53"]
host_addresses = ["192.0.2.1"]
`;
  const { toml, leftOut } = toJoinedConfig(written, OWN);
  const { data_dir: folder, storage, vault, ...shared } = parse(toml);
  t.same(shared, parse(written));
  t.same([folder, storage, vault], [OWN.dataDir, { url: OWN.url }, { key_file: OWN.keyFile }]);
  t.same(leftOut, []);
  t.end();
});

t.test('what is of one machine alone is left out, and told', (t) => {
  const { toml, leftOut } = toJoinedConfig(
    `${HEAD}data_dir = "/srv/mail"
[http]
listen = ["192.0.2.1:443"]
private_listen = "10.0.0.1:8026"
trusted_proxies = ["10.0.0.9"]
[smtp]
listen = ["192.0.2.1:25", "127.0.0.1:25"]
[outbound]
source_addresses = ["192.0.2.1"]
[storage]
url = "postgres://first.test/postroom"
`,
    OWN,
  );
  t.same(parse(toml), {
    ...(parse(HEAD) as object),
    data_dir: OWN.dataDir,
    http: { trusted_proxies: ['10.0.0.9'] },
    smtp: { listen: ['127.0.0.1:25'] },
    outbound: {},
    storage: { url: OWN.url },
    vault: { key_file: OWN.keyFile },
  });
  t.same(leftOut, [
    'http.listen = ["192.0.2.1:443"]',
    'http.private_listen = "10.0.0.1:8026"',
    'smtp.listen = ["192.0.2.1:25","127.0.0.1:25"]',
    'outbound.source_addresses = ["192.0.2.1"]',
  ]);
  t.end();
});
