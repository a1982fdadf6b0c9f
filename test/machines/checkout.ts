/** Inside of test/harness/machine/world: README's commands from a checkout, with the system's own npm. */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { NAMES } from '../harness/machine/installed.ts';
import { bootMachine, INTERNET } from '../harness/machine/machine.ts';
import { startDns } from '../harness/net/dns.ts';

const [root = ''] = process.argv.slice(2);
const { RELAY = '', REGISTRY = '' } = process.env;
const ROOT = join(import.meta.dirname, '../..');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

t.setTimeout(900_000);
await using machine = await bootMachine(root, 'mx');
await using dns = await startDns({ [REGISTRY]: { A: [INTERNET.ipv4] } }, { host: INTERNET.ipv4, port: 53 });
void dns;
const registry = createServer((from) => {
  const to = connect(RELAY);
  from.pipe(to).pipe(from);
  for (const socket of [from, to]) socket.on('error', () => socket.destroy());
}).listen(443, INTERNET.ipv4);

const inside = (path: string): string => join(machine.root, path);
// As this machine's npm is set up: the authorities that it trusts.
copyFileSync(CERTIFICATES, inside(CERTIFICATES));
writeFileSync(inside('/root/.npmrc'), `cafile=${CERTIFICATES}\n`);
mkdirSync(inside('/srv'), { recursive: true });
execFileSync('git', ['clone', '-q', ROOT, inside('/srv/checkout')]);
const cwd = '/srv/checkout';

await t.test(`${await machine.do('sh', '-c', 'echo node $(node -v) npm $(npm -v)')}`, async (t) => {
  await t.test('./install.sh --local', async (t) => {
    const command =
      './install.sh --local > /tmp/local.log 2>&1 & for i in $(seq 400); do grep -q curl /tmp/local.log && break; sleep 1; done; cat /tmp/local.log; kill %1 2> /dev/null || kill $!';
    const { text } = await machine.run(['bash', '-c', command], { cwd });
    t.match(text, /curl /, text);
    t.match(text, /sign-in/);
  });
  await t.test('sudo ./install.sh --hostname ...', async (t) => {
    const ran = await machine.run(['./install.sh', ...NAMES], { cwd });
    t.equal(ran.code, 0, ran.text);
    t.notMatch(ran.text, /Installing the packages/, 'the packages are there already, and are fetched once');
    t.equal((await machine.do('systemctl', 'is-active', 'postroom')).trim(), 'active');
    t.equal(JSON.parse(await machine.do('postroom', 'workspaces', 'list', '--json')).workspaces.length, 1);
  });
});
registry.close();
