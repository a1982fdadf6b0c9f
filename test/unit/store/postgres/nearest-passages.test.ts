import t from 'tap';
import { createPool, openDb } from '../../../../src/store/postgres/connections.ts';
import { migrate } from '../../../../src/store/postgres/migrate.ts';
import { findNearest } from '../../../../src/store/postgres/search/nearest-passages.ts';
import { hasPgvector, queryOnce, startPostgres } from '../../../harness/postgres/postgres-server.ts';

const NUMBERS = 24;
const PASSAGES = 1_500;
const BOOK = 7;

/** The same in each run: octets from -127 to 127. */
const vectorOf = (number: number): Uint8Array => {
  let state = number + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * 255) - 127;
  };
  return new Uint8Array(Int8Array.from({ length: NUMBERS }, next).buffer);
};

t.test(
  'vectors are compared alike with the extension and without',
  { skip: !hasPgvector && 'no pgvector' },
  async (t) => {
    await using server = await startPostgres();
    const pool = createPool(server.url, 1);
    t.teardown(() => pool.end());
    const bring = async () => {
      const client = await pool.connect();
      await migrate(client, 0);
      client.release();
    };
    await bring();
    const db = openDb({ query: (query) => pool.query(query) });
    const insert = async (seq: number, vector: Uint8Array, { book = BOOK, model = 1 } = {}) => {
      const row = { book, passage_seq: seq, model, vector: Buffer.from(vector) };
      await db.insertInto('knowledge_vectors').values(row).execute();
    };
    await pool.query('set session_replication_role = replica');
    for (let seq = 1; seq <= PASSAGES; seq += 1) await insert(seq, vectorOf(seq));
    await insert(2_001, new Uint8Array(NUMBERS));
    await insert(2_002, vectorOf(1).subarray(0, 8));
    await insert(2_003, vectorOf(1), { model: 2 });
    await insert(2_004, vectorOf(1), { book: 8 });

    const findAll = async () => {
      const found: number[][] = [];
      for (const asked of [1, 700, 5_000, 5_001]) {
        found.push(await findNearest(db, BOOK, { model: 1, vector: vectorOf(asked) }, 50));
      }
      return found;
    };
    const without = await findAll();
    t.equal(without[0]?.[0], 1, 'itself');
    t.equal(new Set(without.flat()).size > 100, true);

    await queryOnce(server, 'create extension vector');
    t.same(await findAll(), without, 'until the next start');
    await bring();
    await bring();
    const [{ count } = { count: 0 }] = await queryOnce(
      server,
      'select count(compared) as count from knowledge_vectors',
    );
    t.equal(Number(count), PASSAGES + 4, 'those that were there are compared by the server too');
    await insert(2_005, vectorOf(5_000));
    const by = await findAll();
    t.same(by[2]?.slice(0, 3), [2_005, ...(without[2]?.slice(0, 2) ?? [])], 'and one that comes');
    t.same([by[0], by[1], by[3]], [without[0], without[1], without[3]]);

    await queryOnce(server, 'drop extension vector cascade');
    t.same((await findAll())[2]?.[0], 2_005, 'it may go again');
    await bring();
  },
);
