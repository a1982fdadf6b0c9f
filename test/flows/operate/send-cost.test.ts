/** What a send and its delivery cost in statements, which no other work on the machine changes. Raised knowingly, in kept.json. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { NO_TRIPWIRES } from '../../../scripts/bench/sending/plans.ts';
import { startInstance } from '../../harness/instance.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';

const SENDS = 40;
/** So that the day's counters and the session with the host are there. */
const BEFORE = 3;

interface Kept {
  send: { statements: number };
}
const kept = JSON.parse(readFileSync(join(import.meta.dirname, '../../../scripts/bench/kept.json'), 'utf8')) as Kept;

ofSqlite(t, 'its own statements are counted')(
  'a send and its delivery take no more statements than before',
  async (t) => {
    const counted = new Map<string, number>();
    const onQuery = ({ sql }: { sql: string }) => counted.set(sql, (counted.get(sql) ?? 0) + 1);
    await using instance = await startInstance({ plans: NO_TRIPWIRES, runtime: { store: { onQuery } } });
    const client = instance.client(instance.agents.ann);
    const send = async (from: number, count: number) => {
      for (let at = from; at < from + count; at += 1) {
        await client.messages.send({ to: [`r${at}@remote.test`], subject: `Mail ${at}`, body: `Words of mail ${at}.` });
      }
      await instance.daemon.outbound.idle();
    };
    await send(0, BEFORE);
    counted.clear();
    await send(BEFORE, SENDS);
    // What timers run comes less often than once for each send.
    const each = [...counted].map(([sql, count]) => [sql, Math.floor(count / SENDS)] as const);
    const statements = each.reduce((sum, [, count]) => sum + count, 0);
    t.comment(`${statements} statements for a send and its delivery`);
    for (const [sql, count] of each.filter(([, count]) => count > 1)) {
      t.comment(`${count}  ${sql.replaceAll(/\s+/g, ' ').slice(0, 110)}`);
    }
    t.ok(statements <= kept.send.statements, `${statements} statements, ${kept.send.statements} kept`);
    t.ok(statements > 0, 'and some');
  },
);
