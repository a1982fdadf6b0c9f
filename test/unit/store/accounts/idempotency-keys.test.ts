import t from 'tap';
import type { KeyId } from '../../../../src/kernel/ids.ts';
import {
  findIdempotencyRecord,
  type IdempotencyRecord,
  insertIdempotencyRecord,
} from '../../../../src/store/accounts/idempotency-keys.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

const KEY = '01900000-0000-7000-8000-000000000001' as KeyId;
const record = (createdAt: number, body = '{}'): IdempotencyRecord => ({
  fingerprint: Buffer.alloc(32, 1),
  status: 200,
  body,
  createdAt,
});

t.test('the first answer under a key stays until it has expired', async (t) => {
  const { store } = await openSmallStore(t);
  const insert = (answer: IdempotencyRecord, since: number) =>
    store.write((tx) => insertIdempotencyRecord(tx, KEY, 'k', answer, since));
  const body = async (since: number) => (await findIdempotencyRecord(store.read, KEY, 'k', since))?.body;
  t.equal(await insert(record(100, 'first'), 0), true);
  t.equal(await insert(record(150, 'second'), 99), false, 'another process was faster');
  t.equal(await body(99), 'first');
  t.equal(await body(100), undefined, 'expired');
  t.equal(await insert(record(200, 'third'), 100), true);
  t.equal(await body(100), 'third');
});
