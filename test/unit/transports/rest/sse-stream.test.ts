import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyReply } from 'fastify';
import t, { type Test } from 'tap';
import { createAuthenticate } from '../../../../src/access/authenticate-key.ts';
import { createRateLimit, createSharedRateLimit } from '../../../../src/access/rate-limit.ts';
import { createEventFeed } from '../../../../src/events/feed.ts';
import { createListeningSlots } from '../../../../src/events/listening-slots.ts';
import { createRevocations } from '../../../../src/events/revocations.ts';
import { systemClock as clock } from '../../../../src/kernel/clock.ts';
import { addKey } from '../../../../src/resources/agents/keys/add-key.ts';
import { revokeApiKey } from '../../../../src/store/accounts/api-keys.ts';
import { countByNetwork } from '../../../../src/transports/http/authenticate-request.ts';
import { createHttpServer, formatServerAddress } from '../../../../src/transports/http/http-server.ts';
import { EVENT_STREAM, registerEventStream } from '../../../../src/transports/rest/sse-stream.ts';
import { keyPool, makeBudget } from '../../../harness/budget.ts';
import { openStream } from '../../../harness/http/event-stream.ts';
import { openSmallStore } from '../../../harness/small-store.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Of what is in use: what the store's connections have read is garbage. */
const bytesOfBuffers = (): number => {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
};

const BEAT_MS = 30;
/** With a long subject each, more than the sockets' buffers hold. */
const EVENTS = 800;

const setUp = async (t: Test) => {
  const small = await openSmallStore(t);
  const { store, events, newId, agentId } = small;
  const feed = createEventFeed(store.read, events);
  const revocations = createRevocations(store.read, clock);
  const needs = {
    authenticate: createAuthenticate(store, clock),
    keyLimit: createSharedRateLimit(clock, 1000, null),
    countAddress: countByNetwork(createRateLimit(clock, 1000), clock),
    clock,
    feed,
    slots: createListeningSlots(revocations, keyPool(1)),
    beatEveryMs: BEAT_MS,
  };
  const settings = {
    budget: makeBudget().budget,
    // The end of the server waits so long for a connection without a request.
    headerSeconds: 3,
    giveWaySeconds: 10,
    clock,
    trustedProxies: [],
    https: null,
    newRequestId: () => 'r',
    countUnrouted: async () => undefined,
    sendRefusalPage: (reply: FastifyReply) => reply.code(404).send(),
    onError: (error: unknown) => t.fail(String(error)),
  };
  const app = createHttpServer(settings, [EVENT_STREAM]);
  registerEventStream(app, needs);
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(async () => {
    feed.close();
    await app.close();
  });
  const instance = { baseUrl: `http://${formatServerAddress(app.server)}` };
  const add = (scopes: ('mail:read' | 'contacts')[] | null) =>
    store.write((tx) => addKey({ clock, newId }, tx, { agentId, name: 'test', scopes, reach: 'own', expiresAt: null }));
  return { ...small, instance, add, revocations };
};

t.test('a stream outlives silence, and ends with its key', async (t) => {
  const { store, instance, add, storeMail, revocations } = await setUp(t);
  const { id, key } = await add(null);
  const stream = await openStream(instance, { key });
  await new Promise((resolve) => setTimeout(resolve, 3 * BEAT_MS));
  await storeMail();
  t.equal((await stream.take(1)).length, 1);
  await store.write((tx) => revokeApiKey(tx, id, clock.now()));
  await storeMail();
  t.same(await stream.rest(), [], 'an end, not a broken connection, and nothing that came after the key');
  await t.rejects(openStream(instance, { key }), /401/);

  const other = await add(null);
  const idle = await openStream(instance, other);
  await store.write((tx) => revokeApiKey(tx, other.id, clock.now()));
  await revocations.poll();
  t.same(await idle.rest(), [], 'without an event as well');
});

t.test('a place is given back with the stream, however that ends', async (t) => {
  const { instance, add } = await setUp(t);
  const { key } = await add(null);
  for (let round = 0; round < 3; round++) {
    const stream = await eventually(() => openStream(instance, { key }).catch(() => null));
    await t.rejects(openStream(instance, { key }), /429/);
    await stream[Symbol.asyncDispose]();
  }
});

t.test('a key without mail:read has no stream', async (t) => {
  const { instance, add } = await setUp(t);
  const { key } = await add(['contacts']);
  await t.rejects(openStream(instance, { key }), /403.*insufficient_scope/);
});

t.test('a client that takes nothing in costs no memory, and what it missed is there when it does', async (t) => {
  const { instance, add, storeMail } = await setUp(t);
  const { key } = await add(null);
  await using stream = await openStream(instance, { key });
  const subject = 'x'.repeat(16_000);
  const before = bytesOfBuffers();
  for (let n = 0; n < EVENTS; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => storeMail({ subject: `${n + at} ${subject}` })));
  }
  await eventually(async () => bytesOfBuffers() - before < 5_000_000);
  const events = await stream.take(EVENTS);
  t.same(
    events.map(({ data }) => Number.parseInt(String(data.data.subject), 10)),
    Array.from({ length: EVENTS }, (_, n) => n),
  );
});
