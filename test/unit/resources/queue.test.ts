import t from 'tap';
import { type Address, domainOf } from '../../../src/kernel/address.ts';
import { DAY } from '../../../src/kernel/clock.ts';
import type { RecordingCall } from '../../../src/kernel/handlers.ts';
import { createQueue } from '../../../src/resources/queue/service.ts';
import { insertDeliveries } from '../../../src/store/sending/deliveries.ts';
import { openSmallStore } from '../../harness/small-store.ts';

const NOW = 1_800_000_000_000;
const CALL = { record: async (_tx, _act, answer) => ({ answer }) } as Partial<RecordingCall> as RecordingCall;

t.test('a delivery that is tried again waits for no look at the queue', async (t) => {
  const clock = { now: () => NOW };
  const { store, newId, mailboxId, storeMail } = await openSmallStore(t, clock);
  const { id: messageId } = await storeMail({ direction: 'out' });
  const [id, address] = [newId<'delivery'>(), 'carol@remote.test' as Address];
  const row = { id, messageId, mailboxId, address, domain: domainOf(address) };
  await store.write((tx) => insertDeliveries(tx, [row], NOW, NOW + DAY));
  let wakes = 0;
  const wakeSender = () => {
    wakes += 1;
  };
  const queue = createQueue({ store, clock, wakeSender });
  const operator = { kind: 'operator', name: 'test' } as const;
  const { answer } = await queue.retry(operator, { delivery_id: id }, CALL);
  t.match(answer, { next_attempt_at: new Date(NOW).toISOString() });
  t.equal(wakes, 1);
  await queue.cancel(operator, { delivery_id: id }, CALL);
  await t.rejects(queue.retry(operator, { delivery_id: id }, CALL), { code: 'delivery_not_waiting' });
  t.equal(wakes, 1, 'nothing was changed');
});
