/** The system's DNS servers, in namespaces where they change. */

import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

const ROOT = resolve(import.meta.dirname, '../../../..');
const ASK = `
import { writeFileSync } from 'node:fs';
import { createResolver } from '${ROOT}/src/net/dns/resolver.ts';
import { startDns } from '${ROOT}/test/harness/net/dns.ts';
const [file] = process.argv.slice(-1);
await using dns = await startDns({ 'example.com': { A: ['192.0.2.1'] } }, { host: '127.0.0.1', port: 53 });
const { resolve } = createResolver({ servers: [], timeoutMs: 2_000, clock: Date });
const answer = () => resolve('example.com', 'A').catch(({ code }) => code);
const before = await answer();
writeFileSync(file, 'nameserver 127.0.0.1');
console.log(JSON.stringify([before, await answer()]));`;

t.test('others than at the start are asked once none of those answers', async (t) => {
  const folder = t.testdir({ 'resolv.conf': 'nameserver 127.0.0.2' });
  const file = join(folder, 'resolv.conf');
  const script = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@" "$0"';
  const node = [process.execPath, '--input-type=module', '--eval', ASK];
  const words = ['--map-root-user', '--mount', '--net', 'sh', '-c', script, file, ...node];
  const { stdout } = await promisify(execFile)('unshare', words);
  t.same(JSON.parse(stdout), ['ECONNREFUSED', ['192.0.2.1']]);
});
