import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig, placeForNewConfig } from '../../../src/cli/config-file.ts';

const toml = (hostname: string) => `hostname = "${hostname}"\nbase_domain = "agents.example.com"\n`;

t.test('--config goes before $POSTROOM_CONFIG, which goes before the checkout', async (t) => {
  const cwd = t.testdir({ 'flag.toml': toml('flag.example'), 'env.toml': toml('env.example'), config: {} });
  writeFileSync(join(cwd, 'config/postroom.toml'), toml('checkout.example'));
  const env = { POSTROOM_CONFIG: join(cwd, 'env.toml') };
  t.match(loadConfig({ flag: 'flag.toml', env, cwd }), {
    path: join(cwd, 'flag.toml'),
    config: { hostname: 'flag.example' },
  });
  t.equal(loadConfig({ env, cwd }).config.hostname, 'env.example');
  t.equal(loadConfig({ env: { POSTROOM_CONFIG: '' }, cwd }).path, join(cwd, 'config/postroom.toml'));
});

t.test('a file that is named and not there is an error', async (t) => {
  const cwd = t.testdir({ config: { 'postroom.toml': toml('checkout.example') } });
  t.throws(() => loadConfig({ flag: 'other.toml', env: {}, cwd }), {
    name: 'ConfigError',
    message: /other\.toml: no such file/,
  });
});

t.test('no file at all says what would make one', async (t) => {
  t.throws(() => loadConfig({ env: {}, cwd: t.testdir() }), { name: 'ConfigError', message: /postroom init/ });
});

t.test('a path that cannot be read says why', async (t) => {
  const cwd = t.testdir();
  mkdirSync(join(cwd, 'folder.toml'));
  t.throws(() => loadConfig({ flag: 'folder.toml', env: {}, cwd }), { message: /cannot be read \(EISDIR\)/ });
});

t.test('a new config goes to the place that is named, and never beside one that is read', async (t) => {
  const cwd = t.testdir({ 'there.toml': toml('there.example'), config: {} });
  t.equal(placeForNewConfig({ flag: 'new/box.toml', env: {}, cwd }), join(cwd, 'new/box.toml'));
  t.equal(placeForNewConfig({ env: { POSTROOM_CONFIG: 'env.toml' }, cwd }), join(cwd, 'env.toml'));
  t.throws(() => placeForNewConfig({ flag: 'there.toml', env: {}, cwd }), { exitCode: 1, message: /there\.toml/ });
  writeFileSync(join(cwd, 'config/postroom.toml'), toml('checkout.example'));
  t.throws(() => placeForNewConfig({ env: {}, cwd }), { exitCode: 1, message: /There is a config already/ });
});
