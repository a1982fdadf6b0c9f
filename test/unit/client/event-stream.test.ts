import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { streamEvents } from '../../../src/client/event-stream.ts';

/** Long for a busy machine to answer. */
const SILENT_MS = 1_000;

t.test('a stream of a service that is gone without a word is made again', async (t) => {
  const block = (id: string) => `id: ${id}\ndata: {"id":"${id}"}\n\n`;
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(200).write(block('evt_1')),
    () => undefined,
    (response) => response.writeHead(200).end(block('evt_2')),
    (response) => response.writeHead(401).end('{"error":"invalid_key","hint":"Revoked"}'),
  ];
  const asked: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers['last-event-id']);
    answers[asked.length - 1]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { baseUrl, apiKey: 'svc_x', pause: async () => undefined };
  const heard: string[] = [];
  const listening = (async () => {
    for await (const { id } of streamEvents(settings, {}, SILENT_MS)) heard.push(id);
  })();
  await t.rejects(listening, { code: 'invalid_key' });
  t.same(heard, ['evt_1', 'evt_2']);
  t.same(asked, [undefined, 'evt_1', 'evt_1', 'evt_2']);
});
