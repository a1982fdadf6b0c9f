/** Passes requests on with an agent's key: for official tools that cannot be told to send one. */

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy extends AsyncDisposable {
  url: string;
}

/** @param target base URL of the box; Host and Origin stay what the client said */
export const startKeyProxy = async (target: string, key: string): Promise<KeyProxy> => {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const passed = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers).flushHeaders();
      reply.pipe(outgoing);
    });
    passed.once('error', () => outgoing.destroy());
    outgoing.once('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
