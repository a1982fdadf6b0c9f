import t from 'tap';
import { ConfigError, parseConfig } from '../../../src/config/config-text.ts';
import { formatStorage } from '../../../src/config/config-values.ts';
import { dataFileOf } from '../../harness/postgres/test-location.ts';

const required = 'hostname = "mx.example.com"\nbase_domain = "agents.example.com"\n';
const where = '/etc/postroom/postroom.toml';

const problemsOf = (toml: string) => {
  try {
    parseConfig(toml, where);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ key, line, expected }) => ({ key, line, expected }));
    throw error;
  }
  return [];
};

t.test('two keys are enough', async (t) => {
  const config = parseConfig(required, where);
  t.match(config, {
    hostname: 'mx.example.com',
    base_domain: 'agents.example.com',
    public_url: 'https://mx.example.com',
    data_dir: '/var/lib/postroom',
    storage: { url: { engine: 'sqlite', file: '/var/lib/postroom/postroom.db' } },
    vault: { key_file: '/etc/postroom/vault.key' },
    http: { listen: [{ host: '::', port: 443 }], private_listen: { host: '127.0.0.1', port: 8026 } },
    tls: { mode: 'acme', cert_file: null, key_file: null },
    smtp: { listen: [{ host: '::', port: 25 }], max_message_bytes: 26_214_400, filter_response: 'accept' },
    submission: { listen: [] },
    dns: { resolvers: [], server: { listen: [] } },
    outbound: { port: 25, source_addresses: [], smarthost: null },
    network: { allow_private: [], extra_ca_file: null },
    scan: { rspamd_url: null, dnsbl: [] },
    plans: { file: null },
  });
  t.same(config.smtp.trusted, ['127.0.0.0/8', '::1/128']);
});

t.test('values are parsed to what they mean', async (t) => {
  const config = parseConfig(
    `${required}public_url = "http://127.0.0.1:8025/"
data_dir = "data"
[vault]
key_file = "../keys/vault.key"
[storage]
url = "sqlite:mail/all.db"
[smtp]
listen = ["[::1]:25", "localhost:0"]
trusted = ["10.0.0.1", "fd00::/8"]
[outbound]
smarthost = "smtps://me%40example.com:p%2Fw@relay.example.com"
`,
    where,
  );
  t.equal(config.public_url, 'http://127.0.0.1:8025', 'an origin, without the slash');
  t.equal(config.data_dir, '/etc/postroom/data', 'relative to the config file');
  t.equal(config.vault.key_file, '/etc/keys/vault.key');
  t.equal(dataFileOf(config), '/etc/postroom/data/mail/all.db', 'relative to data_dir');
  t.same(config.smtp.listen, [
    { host: '::1', port: 25 },
    { host: 'localhost', port: 0 },
  ]);
  t.same(config.smtp.trusted, ['10.0.0.1/32', 'fd00::/8']);
  t.same(config.outbound.smarthost, {
    secure: true,
    host: 'relay.example.com',
    port: 465,
    credentials: { user: 'me@example.com', password: 'p/w' },
  });
});

t.test('every problem is named by key and line', async (t) => {
  const toml = `hostname = "mx example"
base_domian = "agents.example.com"

[http] # public
listen = ["0.0.0.0:443", "0.0.0.0"]
  private_listen = 8026

[ dns . server ]
listen = [
  "127.0.0.1:99999",
]

[smtp]
max_message_bytes = "25 MB"
filter_response = "drop"
trusted = ["10.0.0.0/33"]
`;
  t.match(problemsOf(toml), [
    {
      key: 'hostname',
      line: 1,
      expected: 'should be a domain name of letters, digits and hyphens, as "mx.example.com"',
    },
    {
      key: 'base_domain',
      line: 1,
      expected: 'is missing; it should be a domain name of letters, digits and hyphens, as "agents.example.com"',
    },
    { key: 'base_domian', line: 2, expected: /^no such key; the top of the file takes hostname, base_domain, / },
    { key: 'http.listen', line: 5, expected: /^should be an address and a port/ },
    { key: 'http.private_listen', line: 6, expected: /^should be an address and a port/ },
    { key: 'dns.server.listen', line: 9, expected: /^should be an address and a port/ },
    { key: 'smtp.max_message_bytes', line: 14, expected: 'should be a whole number of bytes' },
    { key: 'smtp.filter_response', line: 15, expected: 'should be one of "accept", "reject"' },
    { key: 'smtp.trusted', line: 16, expected: /^should be an IP address or network/ },
  ]);
});

t.test('the message reads as file, line, key and what it should be', async (t) => {
  t.throws(() => parseConfig(`${required}[outbound]\nport = 0\n`, where), {
    message: '/etc/postroom/postroom.toml:4: outbound.port: should be a port number, 1 to 65535',
  });
  t.throws(() => parseConfig(`${required}[outbound]\nundo_seconds = 300\n`, where), {
    message: '/etc/postroom/postroom.toml:4: outbound.undo_seconds: should be whole seconds, 0 to 120',
  });
});

t.test('a syntax error has its line', async (t) => {
  t.match(problemsOf(`${required}\n[http\nlisten = []\n`), [{ key: '', line: 4, expected: /^Invalid TOML/ }]);
  t.match(problemsOf(`${required}data_dir = "a"\ndata_dir = "b"\n`), [{ line: 4 }], 'a key given twice');
});

t.test('an unknown table, an inline table and dotted keys keep their lines', async (t) => {
  t.match(problemsOf(`${required}[imap]\nlisten = []\n`), [{ key: 'imap', line: 3, expected: /^no such key/ }]);
  t.match(problemsOf(`${required}smtp = { listne = [] }\n`), [
    { key: 'smtp.listne', line: 3, expected: /\[smtp\] takes listen,/ },
  ]);
  t.match(problemsOf(`${required}outbound.port = "25"\n`), [{ key: 'outbound.port', line: 3 }]);
  t.match(problemsOf(`${required}smtp = 25\n`), [{ key: 'smtp', line: 3, expected: 'should be a table' }]);
});

t.test('impossible combinations', async (t) => {
  const files = problemsOf(`${required}[tls]\nmode = "files"\nkey_file = "tls.key"\n`);
  t.match(files, [{ key: 'tls.cert_file', line: 3, expected: /PEM file/ }]);
  const open = `${required}[http]\nlisten = ["127.0.0.1:80", "0.0.0.0:80"]\n[tls]\nmode = "off"\n`;
  t.match(problemsOf(open), [{ key: 'tls.mode', line: 6, expected: /loopback/ }]);
  t.same(problemsOf(open.replace('[tls]', 'trusted_proxies = ["10.0.0.1"]\n[tls]')), []);
  t.same(problemsOf(open.replace(', "0.0.0.0:80"', ', "[::1]:80", "localhost:80"')), []);
});

t.test('a name server whose host is in its own zone has addresses to give', async (t) => {
  const inside = required.replace(/^hostname = .*$/m, 'hostname = "mx.agents.example.com"');
  const listening = '[dns.server]\nlisten = ["127.0.0.1:53"]\n';
  t.match(problemsOf(`${inside}${listening}`), [{ key: 'dns.server.host_addresses', expected: /public addresses/ }]);
  t.same(problemsOf(`${inside}${listening}host_addresses = ["192.0.2.1"]\n`), []);
  t.same(problemsOf(`${required}${listening}`), []);
});

t.test('values that are refused', async (t) => {
  for (const [table, line] of [
    ['', 'public_url = "https://mx.example.com/mail"'],
    ['', 'public_url = "ftp://mx.example.com"'],
    ['', 'public_url = "https://u:p@mx.example.com"'],
    ['', 'data_dir = ""'],
    ['[storage]\n', 'url = "mysql://localhost/db"'],
    ['[http]\n', 'private_listen = "::1:8026"'],
    ['[http]\n', 'private_listen = "[127.0.0.1]:8026"'],
    ['[dns]\n', 'resolvers = ["dns.example.com"]'],
    ['[dns]\n', 'resolvers = ["127.0.0.1:0"]'],
    ['[outbound]\n', 'source_addresses = ["127.0.0.0/8"]'],
    ['[outbound]\n', 'smarthost = "relay.example.com:587"'],
    ['[outbound]\n', 'smarthost = "smtp://user@relay.example.com"'],
    ['[outbound]\n', 'smarthost = "smtp://user:%zz@relay.example.com"'],
    ['[outbound]\n', 'port = 25.5'],
    ['[scan]\n', 'rspamd_url = "localhost:11333"'],
    ['[scan]\n', 'dnsbl = "zen.example.org"'],
  ] as const) {
    t.equal(problemsOf(`${required}${table}${line}\n`).length, 1, line);
  }
});

t.test('a database is named without its password', (t) => {
  for (const [url, shown] of [
    ['postgres://ann:s3cret@db.example.com:5433/mail?sslmode=require', 'postgres://ann@db.example.com:5433/mail'],
    ['postgresql:///mail?host=/run/postgresql&password=s3cret', 'postgresql:///run/postgresql/mail'],
    ['postgres://ann@/mail?host=/run/postgresql', 'postgres://ann@/run/postgresql/mail'],
    ['postgres://ann:s3cret@/mail', 'postgres://ann@localhost/mail'],
  ]) {
    const { storage } = parseConfig(`${required}[storage]\nurl = "${url}"\n`, where);
    t.equal(formatStorage(storage.url), shown);
  }
  t.end();
});
