import t from 'tap';
import type { Address } from '../../../../../src/kernel/address.ts';
import type { MailboxId, ThreadId } from '../../../../../src/kernel/ids.ts';
import { readThreads } from '../../../../../src/resources/agent-mail/across/read-threads.ts';
import { insertAgent, listAgents, listLatestAgents } from '../../../../../src/store/accounts/agents.ts';
import { openSmallStore } from '../../../../harness/small-store.ts';
import { storeMail } from '../../../../harness/stored-mail.ts';

const AGENTS = 60;
const AT = Date.UTC(2026, 10, 21, 12);

t.test('threads of many mailboxes: every one once, also of one time, and others are served meanwhile', async (t) => {
  const { store, newId, workspaceId } = await openSmallStore(t);
  const [ann] = await listAgents(store.read, workspaceId);
  if (!ann) throw new Error('There is no agent.');
  await store.write(async (tx) => {
    for (let n = 0; n < AGENTS; n += 1) {
      const own = { id: newId<'agent'>(), mailboxId: newId<'mailbox'>() };
      await insertAgent(tx, { ...ann, ...own, handle: `a${n}`, address: `a${n}@w.box.test` as Address });
      for (const subject of ['One', 'Two', 'Three']) {
        // Five times for all: many threads end at the same one.
        await storeMail(tx, newId, own.mailboxId, { subject }, AT + ((n + subject.length) % 5));
      }
    }
  });
  const listMailboxes = (upTo?: number) => listLatestAgents(store.read, workspaceId, upTo);
  const seen: { id: ThreadId; mailboxId: MailboxId; at: number }[] = [];
  for (let cursor: string | undefined, isOver = false; !isOver; ) {
    const page = await readThreads(store.read, listMailboxes, ({ subject }) => subject !== 'Two', { limit: 7, cursor });
    for (const { id, lastMessageAt: at, mailbox } of page.rows) seen.push({ id, mailboxId: mailbox.mailboxId, at });
    cursor = page.next_cursor ?? undefined;
    isOver = cursor === undefined;
  }
  t.same([seen.length, new Set(seen.map(({ id }) => id)).size], [2 * AGENTS, 2 * AGENTS]);
  t.equal(new Set(seen.map(({ mailboxId }) => mailboxId)).size, AGENTS);
  const times = seen.map(({ at }) => at);
  t.same(times, [...times].sort().reverse());

  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await readThreads(store.read, listMailboxes, () => false, { limit: 50 });
  clearImmediate(next);
  t.ok(turns >= AGENTS, `${turns} turns of the event loop`);
});
