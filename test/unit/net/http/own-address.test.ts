/** The machine's own public address, in a network namespace that has one. */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

const MODULE = resolve(import.meta.dirname, '../../../../src/net/http/checked-address.ts');
const ASK = `
const { findCheckedAddresses } = await import('${MODULE}');
const ask = async (url, isAllowed = false) =>
  (await findCheckedAddresses({ resolver: null, isAllowedPrivate: () => isAllowed }, new URL(url))).kind;
console.log(JSON.stringify([
  await ask('http://8.8.4.4/'), await ask('http://8.8.4.5/'), await ask('http://[2a00:1450::5]/'), await ask('http://8.8.4.4/', true),
]));`;

t.test('what listens on the machine by its public address is not asked either', async (t) => {
  const script =
    'ip link set lo up && ip address add 8.8.4.4/32 dev lo && ip address add 2a00:1450::5/128 dev lo && exec "$@"';
  const node = [process.execPath, '--input-type=module', '--eval', ASK];
  const { stdout } = await promisify(execFile)('unshare', [
    '--map-root-user',
    '--net',
    'sh',
    '-c',
    script,
    'sh',
    ...node,
  ]);
  t.same(JSON.parse(stdout), ['private', 'found', 'private', 'found']);
});
