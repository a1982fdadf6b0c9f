import t from 'tap';
import type { ScheduledId } from '../../../../src/kernel/ids.ts';
import { createScheduledDispatch } from '../../../../src/outbound/scheduled/scheduled-dispatch.ts';
import { findScheduledSend, moveScheduledSend } from '../../../../src/store/sending/scheduled-sends.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

/** Far less than the pause for a store that fails, far more than a send takes. */
const SOON_MS = 15_000;

t.test('a scheduled send that comes due between the read of due rows and that of the next one', async (t) => {
  const { store, newId, agentId, mailboxId } = await openSmallStore(t);
  // Each reading advances the clock by one: at the insert, at the read of due rows, at that of the next one.
  let ticks = 0;
  const clock = { now: () => ++ticks };
  const sent = Promise.withResolvers<string>();
  const scheduledDispatch = createScheduledDispatch({
    store,
    clock,
    newId,
    send: async ({ content, inTransaction }) => {
      const outcome = { kind: 'rejected', reason: 'mailbox_not_found' } as const;
      await store.write(async (tx) => inTransaction?.(tx, outcome));
      if (content.kind === 'compose') sent.resolve(content.subject);
      return outcome;
    },
    events: { publish: async () => {} },
    onError: (error) => t.error(error),
  });
  t.teardown(() => scheduledDispatch.stop());
  scheduledDispatch.start();
  await scheduledDispatch.runDue();
  const booked = ticks + 1;
  const request = { to: [], cc: [], subject: 'Now', body: '', attachments: [], trackOpens: false, parentId: null };
  await scheduledDispatch.schedule({ agentId, mailboxId, bookedBy: null, byGrant: false, request, sendAt: booked + 2 });
  const timer = setTimeout(() => sent.reject(new Error('it was not sent')), SOON_MS);
  t.equal(await sent.promise, 'Now');
  clearTimeout(timer);
});

t.test('a scheduled send that gets another time while it is prepared does not leave', async (t) => {
  const { store, newId, agentId, mailboxId } = await openSmallStore(t);
  let now = 1;
  let left = 0;
  const scheduledDispatch = createScheduledDispatch({
    store,
    clock: { now: () => now },
    newId,
    send: async ({ inTransaction }) => {
      await store.write((tx) => moveScheduledSend(tx, id, 1_000));
      const outcome = { kind: 'rejected', reason: 'mailbox_not_found' } as const;
      await store.write(async (tx) => inTransaction?.(tx, outcome));
      left += 1;
      return outcome;
    },
    events: { publish: async () => {} },
    onError: (error) => t.error(error),
  });
  t.teardown(() => scheduledDispatch.stop());
  const request = { to: [], cc: [], subject: 'Later', body: '', attachments: [], trackOpens: false, parentId: null };
  const of = { agentId, mailboxId, bookedBy: null, byGrant: false };
  const id = (await scheduledDispatch.schedule({ ...of, request, sendAt: 2 })) as ScheduledId;
  now = 2;
  scheduledDispatch.start();
  await scheduledDispatch.runDue();
  t.equal(left, 0);
  t.match(await findScheduledSend(store.read, mailboxId, id), { status: 'pending', sendAt: 1_000, attempts: 0 });
});
