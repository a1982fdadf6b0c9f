/** A web site on loopback, over plain HTTP, whose paths answer as the test says. */

import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface SiteReply {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** Null: 404. `answered`: it has answered by itself, or never will. */
export type SiteAnswer = (request: IncomingMessage, response: ServerResponse) => SiteReply | null | 'answered';

export interface Site extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** Paths in the order in which they were asked for. */
  readonly paths: string[];
  readonly requests: { path: string; headers: IncomingMessage['headers']; status: number }[];
  answer(how: SiteAnswer): void;
}

export const html = (title: string, body: string, head = ''): SiteReply => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`,
});

export const startSite = async (first: SiteAnswer = () => null, address = '127.0.0.1'): Promise<Site> => {
  let answer = first;
  const paths: string[] = [];
  const requests: Site['requests'] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    const path = request.url ?? '';
    const seen = { path, headers: request.headers, status: 0 };
    paths.push(path);
    requests.push(seen);
    const reply = answer(request, response);
    if (reply === 'answered') return;
    const { status = 200, headers = {}, body = '' } = reply ?? { status: 404, body: 'none' };
    seen.status = status;
    response.writeHead(status, headers);
    response.end(body);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    port,
    paths,
    requests,
    answer: (how) => {
      answer = how;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
