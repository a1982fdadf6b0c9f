import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t from 'tap';
import { HOUR, MINUTE } from '../../../../src/kernel/clock.ts';
import { createIdSource } from '../../../../src/kernel/ids.ts';
import { toDays } from '../../../../src/resources/home/sending-days.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { addOutcomes, closeHour, listOutcomes } from '../../../../src/store/sending/outcomes.ts';

const MIDNIGHT = Date.UTC(2026, 0, 10);

t.test('what a resume has closed soon after midnight is of its day, and in no rate', async (t) => {
  const store = await openStore({ engine: 'sqlite', file: join(t.testdir({}), 'x.db') }, { now: MIDNIGHT });
  t.teardown(() => store.close());
  const id = createIdSource({ now: () => MIDNIGHT }, randomBytes)<'workspace'>();
  const resumedAt = MIDNIGHT + 20 * MINUTE;
  await store.write(async (tx) => {
    await addOutcomes(tx, id, MIDNIGHT - HOUR, { sent: 1 });
    await addOutcomes(tx, id, MIDNIGHT, { sent: 2, ended: 2, bounced: 2 });
    await closeHour(tx, id, resumedAt);
    await addOutcomes(tx, id, resumedAt, { sent: 4, ended: 4 });
  });
  const hours = await listOutcomes(store.read, id, 0);
  const { days, rates } = toDays(hours, new Map(), resumedAt, resumedAt + MINUTE, 2);
  t.match(days, [
    { sent: 1, bounced: 0 },
    { sent: 6, bounced: 2 },
  ]);
  t.match(rates, { bounces: 0, outcomes: { ended: 4 } });
});
