import t from 'tap';
import { hashApiKey, looksLikeApiKey, newApiKey } from '../../../src/seal/api-key.ts';
import { deriveKey } from '../../../src/seal/derive.ts';

t.test('an API key', async (t) => {
  t.match(newApiKey(), /^svc_[A-Za-z0-9_-]{43}$/);
  t.not(newApiKey(), newApiKey());
  t.equal(
    newApiKey((size) => new Uint8Array(size).fill(255)),
    `svc_${'_'.repeat(42)}8`,
  );
  t.ok(looksLikeApiKey(newApiKey()));
  for (const text of [
    '',
    'svc_',
    `svc_${'a'.repeat(42)}`,
    `svc_${'a'.repeat(44)}`,
    `SVC_${'a'.repeat(43)}`,
    `svc_${'a'.repeat(43)}\n`,
  ]) {
    t.notOk(looksLikeApiKey(text), JSON.stringify(text));
  }
});

t.test('the hash of a key is BLAKE2b-256 of its text', async (t) => {
  // From another implementation: Python's hashlib.blake2b(b"svc_test", digest_size=32).
  t.equal(hashApiKey('svc_test').toString('hex'), '291acfc30dbacb3157e445ad58e0c6f42e0a9390ba897281cec309c6d8c7ad27');
});

t.test('a derived key depends on the master key and the name, and on nothing else', async (t) => {
  const master = Buffer.alloc(32, 1);
  // hashlib.blake2b(b"postroom key 1:return-path", key=b"\x01" * 32, digest_size=32): stored data depends on it.
  t.equal(
    deriveKey(master, 'return-path').toString('hex'),
    'a770211e2329b1c99c8bfc762cd9b3f889e59fc7d6db6a0fdd401fec752aa983',
  );
  t.notSame(deriveKey(master, 'session'), deriveKey(master, 'return-path'));
  t.notSame(deriveKey(Buffer.alloc(32, 2), 'return-path'), deriveKey(master, 'return-path'));
  t.throws(() => deriveKey(Buffer.alloc(31), 'return-path'), RangeError);
});
