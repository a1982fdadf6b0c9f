import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import t from 'tap';
import { createEventStores, type SessionEventStore } from '../../../../../src/transports/mcp/earlier/event-store.ts';

const message = (id: number, size = 0): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(size) } });

const replay = async (log: SessionEventStore, after: string): Promise<unknown[]> => {
  const replayed: unknown[] = [];
  await log.replayEventsAfter(after, {
    send: async (_id, each) => {
      replayed.push('id' in each ? each.id : null);
    },
  });
  return replayed;
};

t.test('what came after a cursor, of its stream alone', async (t) => {
  const log = createEventStores().open();
  const cursor = await log.storeEvent('a', {} as JSONRPCMessage);
  await log.storeEvent('b', message(1));
  const second = await log.storeEvent('a', message(2));
  await log.storeEvent('a', message(3));
  t.equal(await log.getStreamIdForEventId?.(cursor), 'a');
  t.same(await replay(log, cursor), [2, 3]);
  t.same(await replay(log, second), [3]);
  t.equal(await log.getStreamIdForEventId?.('nonsense'), undefined);
});

t.test('bounded by session and in all; closed, nothing is left', async (t) => {
  const logs = createEventStores({ bytes: 5_000, bytesPerSession: 3_000 });
  const [one, two] = [logs.open(), logs.open()];
  const cursor = await one.storeEvent('a', {} as JSONRPCMessage);
  for (let id = 1; id <= 5; id += 1) await one.storeEvent('a', message(id, 1_000));
  t.same(await replay(one, cursor), [4, 5], 'its oldest fall out');
  for (let id = 6; id <= 9; id += 1) await two.storeEvent('c', message(id, 1_000));
  t.ok(logs.bytes <= 5_000);
  t.same(await replay(one, cursor), [4, 5].slice(-1 * (await replay(one, cursor)).length));
  await two.storeEvent('c', message(10, 100_000));
  t.same(await replay(two, 'c.0'), [], 'what is larger than all is not kept');
  one.close();
  two.close();
  await one.storeEvent('a', message(11));
  t.equal(logs.bytes, 0);
});
