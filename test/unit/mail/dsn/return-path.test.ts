import t from 'tap';
import { isReturnPath, makeReturnPath, readReturnPath } from '../../../../src/mail/dsn/return-path.ts';

const key = Buffer.alloc(32, 7);
const deliveryId = '0190a5b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';
const path = makeReturnPath({ key, domain: 'mail.test', deliveryId });
const local = path.split('@')[0] ?? '';

t.test('comes back as the delivery it was made for', async (t) => {
  t.match(path, /^b-[a-z2-7]{39}@mail\.test$/);
  t.ok(local.length <= 64);
  t.same(readReturnPath(key, path), { deliveryId });
  t.same(readReturnPath(key, path.toUpperCase()), { deliveryId }, 'in any letter case');
  t.same(readReturnPath(key, local), { deliveryId }, 'without a domain');
  t.ok(isReturnPath(local));
});

t.test('cannot be made without the key', async (t) => {
  t.equal(readReturnPath(Buffer.alloc(32, 8), path), null);
  for (let at = 2; at < local.length; at += 1) {
    const other = local[at] === 'a' ? 'b' : 'a';
    t.equal(
      readReturnPath(key, `${local.slice(0, at)}${other}${local.slice(at + 1)}@mail.test`),
      null,
      `character ${at}`,
    );
  }
});

t.test('is nothing else', async (t) => {
  for (const text of [
    '',
    '@',
    'b-',
    'b-@mail.test',
    'bob@mail.test',
    `${local}a@mail.test`,
    local.slice(0, -1),
    `b-${'1'.repeat(39)}@x`,
  ]) {
    t.equal(readReturnPath(key, text), null, text);
    t.notOk(isReturnPath(text.split('@')[0] ?? ''), text);
  }
  t.throws(() => makeReturnPath({ key, domain: 'mail.test', deliveryId: 'x' }), TypeError);
});
