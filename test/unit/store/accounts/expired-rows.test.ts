import t from 'tap';
import { DAY } from '../../../../src/kernel/clock.ts';
import { purgeExpired } from '../../../../src/store/accounts/expired-rows.ts';
import { addOutcomes, listOutcomes } from '../../../../src/store/sending/outcomes.ts';
import { addUsage } from '../../../../src/store/sending/usage.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

t.test('counts of sends stay for a quarter of a year', async (t) => {
  const { store, workspaceId, mailboxId } = await openSmallStore(t);
  const now = Date.parse('2026-11-28T12:00:00Z');
  await store.write(async (tx) => {
    for (const days of [0, 30, 91, 100]) {
      await addUsage(tx, { workspaceId, mailboxId }, now - days * DAY, { units: 10, cold: 1 });
    }
    await purgeExpired(tx, now);
  });
  const rows = await store.read.selectFrom('usage').select('period').distinct().orderBy('period').execute();
  t.same(
    rows.map(({ period }) => period),
    ['2026-08-29', '2026-10', '2026-10-29', '2026-11', '2026-11-28'],
  );
});

t.test('outcomes stay for the longest span of Health and the rates of its first day', async (t) => {
  const { store, workspaceId } = await openSmallStore(t);
  const now = Date.parse('2026-11-28T12:00:00Z');
  await store.write(async (tx) => {
    for (const days of [0, 97, 98, 99]) await addOutcomes(tx, workspaceId, now - days * DAY, { ended: 1 });
    await purgeExpired(tx, now);
  });
  t.same(
    (await listOutcomes(store.read, workspaceId, 0)).map(({ hour }) => (now - hour) / DAY),
    [98, 97, 0],
  );
});
