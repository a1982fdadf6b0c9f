import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { scanWithRspamd } from '../../../../src/net/http/rspamd.ts';

const session = { ip: '192.0.2.1', helo: 'mx.example', mailFrom: 'ann@example.org', recipients: [], iprevName: null };

const scan = async (t: Test, respond: RequestListener) => {
  const server = createServer(respond);
  t.teardown(() => server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return scanWithRspamd(`http://127.0.0.1:${port}`, Buffer.from('Subject: x\r\n\r\n'), session);
};

t.test('an action against the mail is FAIL, one for a while no result, any other PASS', async (t) => {
  for (const [action, verdict] of [
    ['reject', 'FAIL'],
    ['greylist', 'PASS'],
    ['no action', 'PASS'],
    // What its greylisting says of a mail's first arrival.
    ['soft reject', null],
  ] as const) {
    t.equal(await scan(t, (_, response) => response.end(JSON.stringify({ action }))), verdict, action);
  }
});

t.test('an error status, and a body without an action, are no result', async (t) => {
  t.equal(await scan(t, (_, response) => response.writeHead(500).end('{"action":"reject"}')), null);
  t.equal(await scan(t, (_, response) => response.end('{"action":1}')), null);
  t.equal(await scan(t, (_, response) => response.end('not JSON')), null);
});

t.test('a body above 1 MB is no result, also without a content-length', async (t) => {
  const verdict = await scan(t, (_, response) => {
    response.write('{"action":"reject","padding":"');
    response.write('x'.repeat(1024 * 1024));
    response.end('"}');
  });
  t.equal(verdict, null);
});

t.test('the connection of a body without an end is closed at the limit', async (t) => {
  const closed = Promise.withResolvers<void>();
  const startedAt = Date.now();
  const verdict = await scan(t, (_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(256 * 1024)), 5);
    response.on('close', () => {
      clearInterval(timer);
      closed.resolve();
    });
  });
  t.equal(verdict, null);
  await closed.promise;
  t.ok(Date.now() - startedAt < 4_000, 'before the time-out of 5 s');
});
