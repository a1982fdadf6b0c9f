import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { outcomeOf } from '../../../../src/cli/run.ts';
import { parseConfig } from '../../../../src/config/config-text.ts';
import { readKeyFile } from '../../../../src/seal/key-file.ts';
import { documentOf, postroom, SCRIPT } from '../postroom.ts';

const NAMES = ['--hostname', 'mx.example.com', '--base-domain', 'agents.example.com'];

t.test('writes a config and a key that can be read, and says which', async (t) => {
  const cwd = t.testdir();
  const ended = await postroom(['--json', 'init', ...NAMES, '--data-dir', 'data', '--config', 'etc/box.toml'], { cwd });
  const config = join(cwd, 'etc/box.toml');
  const key_file = join(cwd, 'etc/vault.key');
  const data_dir = join(cwd, 'data');
  t.same(documentOf(ended), { config, key_file, data_dir, written: [config, key_file] });
  t.match(parseConfig(readFileSync(config, 'utf8'), config), {
    hostname: 'mx.example.com',
    base_domain: 'agents.example.com',
    public_url: 'https://mx.example.com',
    data_dir,
    vault: { key_file },
  });
  t.equal(readKeyFile(key_file).length, 32);
  t.equal(statSync(config).mode & 0o007, 0, 'not for everybody');
});

t.test('--public-url goes into the config; $POSTROOM_CONFIG names it too', async (t) => {
  const cwd = t.testdir();
  const ended = await postroom(['init', ...NAMES, '--public-url', 'https://mail.example.com'], {
    cwd,
    env: { POSTROOM_CONFIG: 'box.toml' },
  });
  t.match(ended, { code: 0, stdout: /Back the key file up/, stderr: '' });
  const config = parseConfig(readFileSync(join(cwd, 'box.toml'), 'utf8'), '/x');
  t.match(config, { public_url: 'https://mail.example.com', data_dir: '/var/lib/postroom' });
});

t.test('an owner, open signup and a web server in front are written as the config has them', async (t) => {
  const cwd = t.testdir();
  const plain = join(cwd, 'plain/box.toml');
  t.match(await outcomeOf(['init', ...NAMES, '--config', plain]), { code: 0 });
  t.match(parseConfig(readFileSync(plain, 'utf8'), plain), {
    operator: { address: null },
    signup: { open: false },
    tls: { mode: 'acme' },
  });
  const whole = join(cwd, 'whole/box.toml');
  const options = ['--owner', 'You@Example.com', '--open-signup', '--behind-proxy'];
  t.match(await outcomeOf(['init', ...NAMES, ...options, '--config', whole]), { code: 0 });
  t.match(parseConfig(readFileSync(whole, 'utf8'), whole), {
    operator: { address: 'You@example.com' },
    signup: { open: true },
    public_url: 'https://mx.example.com',
    tls: { mode: 'off' },
    http: { listen: [{ host: '127.0.0.1', port: 8080 }], trusted_proxies: ['127.0.0.0/8', '::1/128'] },
  });
  const shown = /--behind-proxy` writes for it:\n\n```toml\n(.*?)```/s.exec(
    readFileSync('src/docs/tls.md', 'utf8'),
  )?.[1];
  const uncommented = readFileSync(whole, 'utf8').replaceAll(/^#.*\n/gm, '');
  t.equal(uncommented.slice(uncommented.indexOf('[http]')), shown, 'docs/tls shows it');
  const wrong = await outcomeOf(['init', ...NAMES, '--owner', 'x', '--config', join(cwd, 'wrong/box.toml')]);
  t.match(wrong, { code: 2, stderr: /--owner should be an e-mail address/ });
  t.notOk(existsSync(join(cwd, 'wrong')));
});

t.test('refuses where config or key are, and writes nothing', async (t) => {
  for (const there of ['box.toml', 'vault.key']) {
    const cwd = t.testdir();
    writeFileSync(join(cwd, there), 'kept');
    const ended = await outcomeOf(['init', ...NAMES, '--config', join(cwd, 'box.toml')]);
    t.match(ended, { code: 1, stdout: '', stderr: /already: .*Nothing was written/ });
    t.equal(readFileSync(join(cwd, there), 'utf8'), 'kept');
    t.notOk(existsSync(join(cwd, there === 'box.toml' ? 'vault.key' : 'box.toml')));
  }
});

t.test('names that no config takes are wrong usage, by their option, before anything is written', async (t) => {
  const cwd = t.testdir();
  const args = ['init', '--hostname', 'a b', '--base-domain', '..', '--public-url', 'x'];
  const ended = await outcomeOf([...args, '--config', join(cwd, 'box.toml')]);
  t.match(ended, {
    code: 2,
    stdout: '',
    stderr: /--hostname should[\s\S]*--base-domain should[\s\S]*--public-url should/,
  });
  t.notOk(existsSync(join(cwd, 'vault.key')));
});

t.test('a host name of one label is refused as the daemon warns of it; localhost is not', async (t) => {
  const cwd = t.testdir();
  const init = (hostname: string) =>
    outcomeOf(['init', '--hostname', hostname, ...NAMES.slice(2), '--config', join(cwd, `${hostname}.d/box.toml`)]);
  t.match(await init('mx'), { code: 2, stdout: '', stderr: /--hostname: "mx" has no dot: .*, as mx\.example\.com\./ });
  t.notOk(existsSync(join(cwd, 'mx.d')));
  t.match(await init('localhost'), { code: 0 });
});

t.test('the script works through a link and from any folder, and says what to do in a bare checkout', async (t) => {
  const dir = t.testdir();
  const link = join(dir, 'postroom');
  symlinkSync(SCRIPT, link);
  t.match(await postroom(['--version'], { cwd: dir, script: link }), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
  mkdirSync(join(dir, 'bare/scripts'), { recursive: true });
  const bare = join(dir, 'bare/scripts/postroom');
  writeFileSync(bare, readFileSync(SCRIPT), { mode: 0o755 });
  t.match(await postroom(['--version'], { script: bare }), { code: 1, stderr: /npm ci/ });
});
