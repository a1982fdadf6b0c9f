import t from 'tap';
import type { Log } from '../../../../src/kernel/log.ts';
import type { Embedded } from '../../../../src/knowledge/embeddings/embedding-client.ts';
import { EMBEDDING_LIMITS } from '../../../../src/knowledge/embeddings/embedding-limits.ts';
import { createQueryEmbedder } from '../../../../src/knowledge/embeddings/query-embedder.ts';

t.test('after some failures in a row the endpoint is asked again only behind a pause', async (t) => {
  let answer: Embedded = { kind: 'failed', reason: 'down' };
  let asked = 0;
  let now = 0;
  const told: string[] = [];
  const tell = (_fields: object, text: string) => void told.push(text);
  const embedQuery = createQueryEmbedder({
    embed: async () => {
      asked += 1;
      return answer;
    },
    limits: EMBEDDING_LIMITS,
    clock: { now: () => now },
    log: { info: tell, warn: tell } as unknown as Log,
    onError: (error) => t.fail(String(error)),
  });
  for (const text of ['a', 'b', 'c', 'd', 'e']) t.equal(await embedQuery(text), null);
  t.equal(asked, EMBEDDING_LIMITS.failures, 'then it is left alone');
  now += EMBEDDING_LIMITS.backOffMs;
  await embedQuery('f');
  now += EMBEDDING_LIMITS.backOffMs;
  await embedQuery('g');
  t.equal(asked, EMBEDDING_LIMITS.failures + 1, 'a further failure doubles the pause');
  answer = { kind: 'vectors', vectors: [Buffer.from('v')] };
  now += EMBEDDING_LIMITS.backOffMs;
  t.same(await embedQuery('h'), Buffer.from('v'));
  t.same(told, [
    'the embeddings endpoint fails searches: they go by words alone',
    'the embeddings endpoint answers searches again',
  ]);
});
