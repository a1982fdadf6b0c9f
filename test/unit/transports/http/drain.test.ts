import { once } from 'node:events';
import Fastify from 'fastify';
import t from 'tap';
import { drainable } from '../../../../src/transports/http/drain.ts';
import { formatServerAddress } from '../../../../src/transports/http/http-server.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

/** The drain itself gives up after 15 s. */
const AT_ONCE_MS = 5_000;

t.test('a client that keeps its connection does not delay the close by a request that was in flight', async (t) => {
  const app = Fastify({ keepAliveTimeout: 72_000, forceCloseConnections: 'idle' });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  app.get('/slow', async () => {
    await answered;
    return 'slow';
  });
  app.get('/begun', (_request, reply) => {
    reply.hijack();
    reply.raw.write('begun ');
    void answered.then(() => reply.raw.end('and ended'));
  });
  const end = drainable(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (path: string): Promise<string> =>
    (await fetch(`http://${formatServerAddress(app.server)}${path}`)).text();
  const asked = Promise.all([ask('/slow'), ask('/begun')]);
  for (let count = 0; count < 2; count += 1) await once(app.server, 'request');
  const began = performance.now();
  const ended = end();
  await eventually(async () => !app.server.listening);
  answer();
  t.same(await asked, ['slow', 'begun and ended']);
  await ended;
  t.ok(performance.now() - began < AT_ONCE_MS);
});
