import pg from 'pg';
import t from 'tap';
import { createSharedRateLimit } from '../../../../src/access/rate-limit.ts';
import { createPool } from '../../../../src/store/postgres/connections.ts';
import { createDrawRequests } from '../../../../src/store/postgres/drawn-requests.ts';
import { migrate } from '../../../../src/store/postgres/migrate.ts';
import type { DrawRequests } from '../../../../src/store/store.ts';
import { startPostgres } from '../../../harness/postgres/postgres-server.ts';

const MINUTE = 60_000;
const LIMIT = 300;

/** Two boxes with one database and one clock; `draws` counts what they ask it. */
const startBoxes = async (isolation = 'read committed') => {
  const server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await migrate(client, 0);
  await client.query(`alter role postgres set default_transaction_isolation = '${isolation}'`);
  const pool = createPool(server.url, 4);
  const time = { now: 5_000_000, draws: 0 };
  const draw = createDrawRequests((query) => pool.query(query));
  const counted: DrawRequests = (key, bounds) => {
    time.draws += 1;
    return draw(key, bounds);
  };
  const startBox = () => createSharedRateLimit({ now: () => time.now }, LIMIT, counted);
  return {
    time,
    boxes: [startBox(), startBox()] as const,
    startBox,
    /** As managed servers do where the disk is full. */
    readOnly: async (is: boolean): Promise<void> => {
      await client.query(`alter database postgres set default_transaction_read_only = ${is}`);
      await pool.query(`set default_transaction_read_only = ${is}`);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([client.end(), pool.end()]);
      await server[Symbol.asyncDispose]();
    },
  };
};

t.test('what two boxes let through is one count', async (t) => {
  await using installation = await startBoxes();
  const { time, boxes } = installation;
  const takeAll = async (key: string, calls: number): Promise<number> => {
    const taken = await Promise.all(Array.from({ length: calls }, (_, call) => boxes[call % 2]?.take(key)));
    return taken.filter((each) => each?.allowed).length;
  };
  t.equal(await takeAll('together', 1_000), LIMIT, 'at once');
  t.ok(time.draws < 140, `${time.draws} draws`);

  let allowed = 0;
  for (let call = 0; call < 400; call += 1) if ((await boxes[call % 2]?.take('by turns'))?.allowed) allowed += 1;
  t.equal(allowed, LIMIT, 'by turns');
  t.match(await boxes[0].take('together'), { allowed: false, limit: LIMIT, remaining: 0, resetAt: time.now + MINUTE });
  t.equal((await boxes[0].take('another')).remaining, LIMIT - 1);

  const before = time.draws;
  for (let call = 0; call < 50; call += 1) await boxes[0].take('together');
  t.equal(time.draws, before, 'a key that is used up asks no more');

  time.now += MINUTE;
  t.equal(await takeAll('together', 1_000), LIMIT, 'of the next minute');
});

t.test('what a box has drawn and does not use is no more than what it has used', async (t) => {
  await using installation = await startBoxes();
  const [one, other] = installation.boxes;
  t.equal((await one.take('key')).allowed, true);
  let allowed = 0;
  for (let call = 0; call < LIMIT; call += 1) if ((await other.take('key')).allowed) allowed += 1;
  t.equal(allowed, LIMIT - 1, 'one request elsewhere costs no others');
});

t.test('one that a box uses alone has all of it; a box that comes has what is left', async (t) => {
  await using installation = await startBoxes();
  const { time, boxes } = installation;
  for (let call = 1; call <= LIMIT - 5; call += 1) {
    t.equal((await boxes[0].take('key')).remaining, LIMIT - call);
  }
  t.ok(time.draws < 60, `${time.draws} draws`);
  const late = installation.startBox();
  const left = await Promise.all([1, 2, 3, 4, 5, 6].map(() => late.take('key')));
  const rest = await Promise.all([1, 2, 3, 4, 5, 6].map(() => boxes[0].take('key')));
  t.equal([...left, ...rest].filter(({ allowed }) => allowed).length, 5);
});

t.test('a clock that is set back locks nobody out', async (t) => {
  await using installation = await startBoxes();
  const { time, boxes } = installation;
  await Promise.all(Array.from({ length: LIMIT }, () => boxes[0].take('key')));
  t.equal((await boxes[0].take('key')).allowed, false);
  time.now -= 2_000;
  t.equal((await installation.startBox().take('key')).allowed, false, 'a clock that differs by 2 s');
  time.now -= 3_600_000;
  t.equal((await boxes[0].take('key')).allowed, true);
  t.equal((await boxes[1].take('key')).allowed, true);
});

t.test('a box counts by itself while the database takes no writes', async (t) => {
  await using installation = await startBoxes();
  const { boxes, readOnly } = installation;
  await readOnly(true);
  for (const remaining of [LIMIT - 1, LIMIT - 2]) t.match(await boxes[0].take('key'), { allowed: true, remaining });
  await readOnly(false);
  t.match(await boxes[0].take('key'), { allowed: true, remaining: LIMIT - 1 }, 'and over all again');
});

t.test('what two boxes let through is one count, also where the role has a stricter isolation', async (t) => {
  await using installation = await startBoxes('serializable');
  const { boxes } = installation;
  const taken = await Promise.all(Array.from({ length: 1_000 }, (_, call) => boxes[call % 2]?.take('key')));
  t.equal(taken.filter((each) => each?.allowed).length, LIMIT);
});
