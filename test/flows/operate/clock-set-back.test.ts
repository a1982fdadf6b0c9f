/** A clock that was ahead, as that of a machine without a battery may be, and is right again. */

import t from 'tap';
import { DAY, HOUR } from '../../../src/kernel/clock.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance } from '../../harness/instance.ts';
import { deliveriesOf, send } from '../../harness/smtp/queued-mail.ts';

t.test('mail goes out by the clock, though the mailbox has mail of a later time', async (t) => {
  const clock = movableClock();
  await using instance = await startInstance({ runtime: { clock } });
  clock.pass(DAY);
  await send(instance, ['first@remote.test'], 'First');
  await instance.daemon.outbound.idle();
  clock.pass(-DAY);
  const next = await send(instance, ['next@remote.test'], 'Next');
  await instance.daemon.outbound.idle();
  const [delivery] = await deliveriesOf(instance, next);
  t.equal(delivery?.status, 'delivered');
  t.ok((delivery?.createdAt ?? 0) < clock.now() + HOUR, 'its five days begin now');
  t.same(instance.faults, []);
});
