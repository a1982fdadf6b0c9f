/** Streams, raw bodies and bodies of DELETE: what an operation may declare, over the wire. */

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { createAuthenticate } from '../../../../src/access/authenticate-key.ts';
import { createDispatch } from '../../../../src/access/dispatch.ts';
import { createIdempotency } from '../../../../src/access/idempotency.ts';
import { createRateLimit, createSharedRateLimit } from '../../../../src/access/rate-limit.ts';
import { createActivityLog } from '../../../../src/activity/activity-log.ts';
import { systemClock as clock } from '../../../../src/kernel/clock.ts';
import { bind } from '../../../../src/kernel/handlers.ts';
import { operation, StreamReply } from '../../../../src/kernel/operation.ts';
import { addKey } from '../../../../src/resources/agents/keys/add-key.ts';
import { countByNetwork } from '../../../../src/transports/http/authenticate-request.ts';
import { createHttpServer, formatServerAddress } from '../../../../src/transports/http/http-server.ts';
import { registerRest } from '../../../../src/transports/rest/routes.ts';
import { makeBudget } from '../../../harness/budget.ts';
import { openSmallStore } from '../../../harness/small-store.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

const SCOPE = 'contacts';
const CHUNK = 'x'.repeat(100_000);

const contract = {
  list: operation({
    ...{ name: 'list_things', route: 'GET /v1/things', scope: SCOPE, summary: 'Lists.', errors: [] },
    input: z.strictObject({ fails: z.boolean().default(false), chunks: z.int().default(2) }),
    output: z.object({ things: z.array(z.string()) }),
    streams: ['text/vcard'],
  }),
  importAll: operation({
    ...{ name: 'import_things', route: 'POST /v1/things', scope: SCOPE, summary: 'Imports.', errors: [] },
    input: z.strictObject({
      csv: z.custom<string | Uint8Array>((value) => typeof value === 'string' || value instanceof Uint8Array),
      list_name: z.string().optional(),
    }),
    rawBody: { mediaType: 'text/csv', field: 'csv', query: ['list_name'] },
    bodyLimit: 1_024,
    output: z.object({ hex: z.string(), list_name: z.string().nullable() }),
  }),
  remove: operation({
    ...{
      name: 'remove_things',
      route: 'DELETE /v1/things/{id}',
      scope: SCOPE,
      summary: 'Removes.',
    },
    input: z.strictObject({ id: z.string(), names: z.array(z.string()) }),
    body: true,
    output: z.object({ removed: z.array(z.string()) }),
  }),
  change: operation({
    ...{
      name: 'change_thing',
      route: 'PATCH /v1/things/{id}',
      scope: SCOPE,
      summary: 'Changes.',
    },
    input: z.strictObject({ id: z.string(), csv: z.string() }),
    output: z.object({}),
  }),
};

const setUp = async (t: Test) => {
  const { store, newId, agentId } = await openSmallStore(t);
  const wanted = { agentId, name: 'k', scopes: null, reach: 'own' as const, expiresAt: null };
  const { key } = await store.write((tx) => addKey({ newId, clock }, tx, wanted));
  let made = 0;
  const chunks = async function* (count: number, fails: boolean) {
    for (let at = 0; at < count; at += 1) {
      made += 1;
      yield CHUNK;
    }
    if (fails) throw new Error('in the middle');
  };
  const bound = bind(contract, {
    list: async (_caller, { fails, chunks: count }, { mediaType }) =>
      mediaType === null ? { things: ['json'] } : new StreamReply(mediaType, 'all things.vcf', chunks(count, fails)),
    importAll: async (_caller, { csv, list_name = null }) => ({ hex: Buffer.from(csv).toString('hex'), list_name }),
    remove: async (_caller, { names }) => ({ removed: names }),
    change: async () => ({}),
  });
  const needs = {
    dispatch: createDispatch({
      read: store.read,
      idempotency: createIdempotency(store, clock),
      activity: createActivityLog({ clock, newId }, null),
    }),
    authenticate: createAuthenticate(store, clock),
    keyLimit: createSharedRateLimit(clock, 1000, null),
    countAddress: countByNetwork(createRateLimit(clock, 1000), clock),
    clock,
  };
  const faults: unknown[] = [];
  const settings = {
    ...{ budget: makeBudget().budget, headerSeconds: 10, giveWaySeconds: 10, clock, trustedProxies: [], https: null },
    newRequestId: () => 'r',
    countUnrouted: async () => undefined,
    sendRefusalPage: (reply: FastifyReply) => reply.code(404).send(),
    onError: (error: unknown) => faults.push(error),
  };
  const app = createHttpServer(settings, Object.values(contract));
  registerRest(app, bound, needs);
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(() => app.close());
  const address = formatServerAddress(app.server);
  const request = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Uint8Array<ArrayBuffer>,
  ) =>
    fetch(`http://${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { body }),
    });
  return { request, address, key, faults, made: () => made };
};

t.test('a stream where it is asked for', async (t) => {
  const { request, faults } = await setUp(t);
  t.same(await (await request('GET', '/v1/things')).json(), { things: ['json'] });
  const response = await request('GET', '/v1/things', { accept: 'text/vcard' });
  t.equal(response.headers.get('content-type'), 'text/vcard; charset=utf-8');
  t.equal(response.headers.get('content-disposition'), "attachment; filename*=UTF-8''all%20things.vcf");
  t.equal(response.headers.get('vary'), 'accept');
  t.equal((await response.text()).length, 2 * CHUNK.length);
  const broken = await request('GET', '/v1/things?fails=true', { accept: 'text/vcard' });
  await t.rejects(broken.text(), 'what fails in the middle does not look whole');
  t.same(faults, []);
});

t.test('a slow client slows the making', async (t) => {
  const { address, key, made } = await setUp(t);
  const [host = '', port] = address.split(':');
  const socket = connect(Number(port), host).pause();
  socket.write(
    `GET /v1/things?chunks=1000 HTTP/1.1\r\nhost: x\r\naccept: text/vcard\r\nauthorization: Bearer ${key}\r\n\r\n`,
  );
  await eventually(async () => made() > 0);
  let before = -1;
  while (before !== made()) {
    before = made();
    await pause(200);
  }
  t.ok(before < 200, `${before} of 1000 chunks were made for a client that reads none`);
  socket.destroy();
});

t.test('a raw body is a field, where the operation takes it', async (t) => {
  const { request } = await setUp(t);
  const csv = { 'content-type': 'text/csv; charset=utf-16' };
  const octets = Buffer.from([0xff, 0xfe, 0x61, 0x00]);
  const answered = await request('POST', '/v1/things?list_name=Friends', csv, octets);
  t.same(await answered.json(), { hex: 'fffe6100', list_name: 'Friends' });
  const json = { 'content-type': 'application/json' };
  const inJson = await request('POST', '/v1/things', json, JSON.stringify({ csv: 'a', list_name: 'X' }));
  t.same(await inJson.json(), { hex: '61', list_name: 'X' });
  const large = await request('POST', '/v1/things', csv, 'a'.repeat(1_025));
  t.match(await large.json(), { hint: 'A body is at most 1 KiB here.' });
  const refusals: [Promise<Response>, number, string][] = [
    [request('POST', '/v1/things?list_name=X', json, '{"csv":"a"}'), 400, 'invalid_request'],
    [request('POST', '/v1/things?csv=X', csv, 'a'), 400, 'invalid_request'],
    [request('POST', '/v1/things', csv, 'a'.repeat(1_025)), 413, 'body_too_large'],
    [request('POST', '/v1/things', { 'content-type': 'text/plain' }, 'a'), 415, 'unsupported_media_type'],
    [request('PATCH', '/v1/things/1', csv, 'a'), 415, 'unsupported_media_type'],
  ];
  for (const [response, status, error] of refusals) {
    const { status: was } = await response;
    t.equal(was, status);
    t.match(await (await response).json(), { error });
  }
});

t.test('a body of DELETE', async (t) => {
  const { request } = await setUp(t);
  const json = { 'content-type': 'application/json' };
  t.same(await (await request('DELETE', '/v1/things/1', json, '{"names":["a"]}')).json(), { removed: ['a'] });
  t.match(await (await request('DELETE', '/v1/things/1')).json(), { error: 'invalid_request', hint: /JSON body/ });
  t.match(await (await request('DELETE', '/v1/things/1?names=a', json, '{}')).json(), { error: 'invalid_request' });
});
