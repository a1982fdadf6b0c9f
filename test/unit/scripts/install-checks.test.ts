import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const CHECKS = fileURLToPath(new URL('../../../scripts/install/checks.sh', import.meta.url));

/** What the check says where getent(1) prints these lines. */
const checkName = (...found: string[]): string => {
  const script = `. "$0"; getent() { printf '%s' "$FOUND"; [ -n "$FOUND" ]; }; check_name mx.example.com`;
  const env = { ...process.env, FOUND: found.map((address) => `${address}  STREAM mx.example.com\n`).join('') };
  return execFileSync('bash', ['-euo', 'pipefail', '-c', script, CHECKS], { env, encoding: 'utf8' }).trim();
};

t.test('a name that the machine alone knows has no address', async (t) => {
  t.match(checkName(), 'warn  mx.example.com has no address yet');
  t.match(checkName('127.0.1.1', '::1'), 'warn  mx.example.com has no address yet');
  t.equal(checkName('198.51.100.7'), 'ok    mx.example.com resolves');
  t.equal(checkName('127.0.1.1', '2001:db8::1'), 'ok    mx.example.com resolves');
});
