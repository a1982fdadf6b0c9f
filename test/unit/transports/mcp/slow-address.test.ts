/** The bridge on a machine without IPv6, far from an endpoint that has an address of either family. */

import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

const ROOT = resolve(import.meta.dirname, '../../../..');
const BRIDGE = `
import { Readable } from 'node:stream';
import { bridgeStdio } from '${ROOT}/src/transports/mcp/stdio-bridge.ts';
import { startStopped } from '${ROOT}/test/harness/net/stopped-server.ts';
await using server = await startStopped(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }));
setTimeout(server.goOn, 500);
const stdin = Readable.from([JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) + '\\n']);
const url = new URL('http://endpoint.test:' + server.port + '/mcp');
await bridgeStdio({ url, apiKey: 'svc_', stdin, stdout: process.stdout, warn: console.error });`;

t.test('an endpoint that takes half a second to connect to is reached', async (t) => {
  const hosts = join(t.testdir({ hosts: '127.0.0.1 endpoint.test\n2001:db8::1 endpoint.test\n' }), 'hosts');
  const script = 'ip link set lo up && mount --bind "$0" /etc/hosts && exec "$@"';
  const node = [process.execPath, '--input-type=module', '--eval', BRIDGE];
  const words = ['--map-root-user', '--mount', '--net', 'sh', '-c', script, hosts, ...node];
  const { stdout } = await promisify(execFile)('unshare', words);
  t.match(JSON.parse(stdout), { id: 1, result: {} });
});
