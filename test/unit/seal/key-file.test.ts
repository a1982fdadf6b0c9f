import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readKeyFile, writeKeyFile } from '../../../src/seal/key-file.ts';

const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => 200 + index));

const keyFile = (t: Test, content: Buffer | string, mode = 0o600): string => {
  const path = join(t.testdir(), 'vault.key');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
};

t.test('raw bytes and both base64 alphabets are the same key', async (t) => {
  for (const content of [bytes, bytes.toString('base64'), `${bytes.toString('base64url')}\n`]) {
    t.same(readKeyFile(keyFile(t, content)), bytes);
  }
  t.same(readKeyFile(keyFile(t, bytes, 0o400)), bytes, 'mode 0400');
});

t.test('raw bytes that are spaces and line ends are kept', async (t) => {
  const blank = Buffer.alloc(32, '\n');
  t.same(readKeyFile(keyFile(t, blank)), blank);
});

t.test('a file that others can reach is refused, with the command that mends it', async (t) => {
  for (const mode of [0o640, 0o604, 0o644, 0o660, 0o700, 0o200]) {
    t.throws(() => readKeyFile(keyFile(t, bytes, mode)), { fault: 'mode', message: /chmod 600/ }, mode.toString(8));
  }
});

t.test('what is no key is refused', async (t) => {
  for (const content of [
    '',
    bytes.subarray(1),
    Buffer.concat([bytes, Buffer.of(0)]),
    `${'x'.repeat(43)}!`,
    'A'.repeat(1000),
  ]) {
    t.throws(() => readKeyFile(keyFile(t, content)), { fault: 'content', message: /must hold 32 bytes/ });
  }
  t.throws(() => readKeyFile(t.testdir()), { fault: 'content', message: /not a file/ });
  t.throws(() => readKeyFile(join(t.testdir(), 'none')), { fault: 'missing', message: /no key file/ });
});

t.test('a new key file can be read, by its owner alone, and is never overwritten', async (t) => {
  const path = join(t.testdir(), 'vault.key');
  const umask = process.umask(0o777);
  const key = writeKeyFile(path);
  process.umask(umask);
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.same(readKeyFile(path), key);
  const written = readFileSync(path);
  t.throws(() => writeKeyFile(path), { fault: 'exists', message: /not overwritten/ });
  t.same(readFileSync(path), written);
  t.notSame(writeKeyFile(join(t.testdir(), 'other.key')), key);
});
