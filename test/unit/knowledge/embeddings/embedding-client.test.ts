/** What an endpoint may answer, over the wire; each wrong answer is told apart from what it refuses. */

import t from 'tap';
import { createEmbed } from '../../../../src/knowledge/embeddings/embedding-client.ts';
import { toUnitVector } from '../../../../src/knowledge/embeddings/unit-vector.ts';
import { createGuardedHttp } from '../../../../src/net/http/guarded-client.ts';
import { type EmbeddingsServer, startEmbeddings, toReply, toVector } from '../../../harness/http/embeddings-server.ts';

const DIMENSIONS = 256;
const TEXTS = ['a parcel', 'a car'];

const resolver = {} as never;
const http = createGuardedHttp({ resolver, isAllowedPrivate: () => true, extraCa: null });
t.teardown(() => http.close());

const many = (value: unknown) => new Array(DIMENSIONS).fill(value);
const rightly = TEXTS.map((text) => toVector(text, DIMENSIONS));

const WRONG: Readonly<Record<string, [RegExp, Parameters<EmbeddingsServer['answer']>[0]]>> = {
  'an error': [/answered 500/, () => ({ status: 500, body: 'no' })],
  'a wrong key': [/answered 401/, () => ({ status: 401 })],
  'a redirect': [/answered 307/, () => ({ status: 307, headers: { location: 'http://127.0.0.1:1/' } })],
  'no JSON': [/no JSON/, () => ({ body: '<html>' })],
  'another form': [/no JSON of the expected form/, () => ({ body: '{"data":[{"embedding":"AAAA"}]}' })],
  'a text': [/no JSON of the expected form/, () => ({ body: '"data"' })],
  'very deep': [/no JSON/, () => ({ body: '['.repeat(60_000) })],
  'too few numbers': [/have 8 numbers, and 256/, () => toReply(TEXTS.map((text) => toVector(text, 8)))],
  'too many vectors': [/3 vectors for 2 texts/, () => toReply([...rightly, rightly[0]])],
  'no vectors': [/0 vectors for 2 texts/, () => toReply([])],
  'no numbers': [/not all made of numbers/, () => toReply(TEXTS.map(() => many(null)))],
  texts: [/not all made of numbers/, () => toReply(TEXTS.map(() => many('1')))],
  zeros: [/all zero/, () => toReply(TEXTS.map(() => many(0)))],
  'beyond all numbers': [
    /not all made of numbers/,
    () => ({ body: `{"data":[${TEXTS.map(() => `{"embedding":[${many('1e999')}]}`)}]}` }),
  ],
  'one number twice': [
    /not numbered/,
    () => ({ body: JSON.stringify({ data: rightly.map((embedding) => ({ index: 0, embedding })) }) }),
  ],
  'a number too high': [
    /not numbered/,
    () => ({ body: JSON.stringify({ data: rightly.map((embedding) => ({ index: 2e9, embedding })) }) }),
  ],
  'fifty megabytes': [/too large/, () => ({ body: Buffer.alloc(50_000_000, '[') })],
  silence: [/No whole answer within 200 ms/, () => 'answered'],
  'a cut answer': [
    /./,
    (_asked, response) => {
      response.writeHead(200, { 'content-length': '9999' });
      response.write('{');
      setTimeout(() => response.destroy(), 5);
      return 'answered';
    },
  ],
};

t.test('wrong answers', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  const embed = createEmbed(http.request, { url: server.url, model: 'bag', apiKey: null, dimensions: DIMENSIONS });
  for (const [name, [reason, answer]] of Object.entries(WRONG)) {
    server.answer(answer);
    const timeoutMs = name === 'silence' ? 200 : 20_000;
    t.match(await embed(TEXTS, timeoutMs), { kind: 'failed', reason }, name);
  }
  for (const status of [400, 413, 422]) {
    server.answer(() => ({ status }));
    t.match(await embed(TEXTS, 20_000), { kind: 'refused' });
  }
  server.answer(() => ({
    body: JSON.stringify({ data: rightly.map((embedding, index) => ({ index, embedding })).reverse() }),
  }));
  const embedded = await embed(TEXTS, 20_000);
  t.same(embedded, { kind: 'vectors', vectors: rightly.map((each) => toUnitVector(each)) }, 'by their numbers');
});

t.test('what is down; where it is asked', async (t) => {
  const gone = await startEmbeddings(DIMENSIONS);
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  const options = { model: 'bag', apiKey: null, dimensions: DIMENSIONS };
  t.match(await createEmbed(http.request, { ...options, url })(TEXTS, 20_000), {
    kind: 'failed',
    reason: /ECONNREFUSED/,
  });
  await using server = await startEmbeddings(DIMENSIONS);
  t.match(await createEmbed(http.request, { ...options, url: `${server.url}/` })(TEXTS, 20_000), { kind: 'vectors' });
  t.match(await createEmbed(http.request, { ...options, url: `${server.url}?api-version=1` })(TEXTS, 20_000), {
    reason: 'it answered 404',
  });
  t.same(server.paths, ['/v1/embeddings', '/v1/embeddings?api-version=1']);
  const stopped = createEmbed(http.request, { ...options, url: server.url })(TEXTS, 20_000, AbortSignal.abort());
  await t.rejects(stopped, 'the daemon stops');
});

t.test('vectors as they are kept', (t) => {
  t.same(toUnitVector([3, 4]), Buffer.from(Int8Array.from([76, 102]).buffer));
  t.same(toUnitVector([-1e300, 0]), Buffer.from(Int8Array.from([-127, 0]).buffer));
  t.same(toUnitVector([5e-324, 0]), Buffer.from(Int8Array.from([127, 0]).buffer));
  for (const wrong of [[Number.NaN], [Number.POSITIVE_INFINITY], ['1'], [null], [0, 0], []])
    t.equal(toUnitVector(wrong), null);
  t.end();
});
