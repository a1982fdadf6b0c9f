/** An HTTPS server that keeps what it is sent and answers as the test says. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Certificate, selfSigned } from '../net/certificate.ts';
import { WAIT_LIMIT_MS } from '../wait-limit.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Epoch milliseconds. */
  readonly at: number;
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

export interface HttpReceiver extends AsyncDisposable {
  readonly port: number;
  /** Its certificate, which is its own authority where it is self-signed: for `[network] extra_ca_file`. */
  readonly ca: string;
  readonly requests: ReceivedRequest[];
  /** Connections so far, closed ones included. */
  readonly connections: number;
  /** Replaces what answers; the first answer is an empty 200. */
  answer(how: Answer): void;
  /** Resolves once there are `count` requests. */
  waitFor(count: number, withinMs?: number): Promise<ReceivedRequest[]>;
  /** Breaks all connections. */
  cut(): void;
  /** Closes idle connections, as servers do. */
  closeIdle(): void;
  close(): Promise<void>;
}

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/**
 * @param hostname what its certificate is for, beside 127.0.0.1
 * @param port 0 takes a free one
 */
export const startHttpReceiver = async (
  hostname = 'localhost',
  port = 0,
  address = '127.0.0.1',
  certificate: Certificate = selfSigned(hostname),
): Promise<HttpReceiver> => {
  const { key, cert } = certificate;
  const requests: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  let answer: Answer = (_request, response) => response.end();
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = https.createServer({ key, cert }, async (message, response) => {
    const body = await readAll(message).catch(() => null);
    if (body === null) return;
    const received = { path: message.url ?? '', headers: message.headers, body, at: Date.now() };
    requests.push(received);
    for (const look of waiting) look();
    answer(received, response);
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, address);
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    cut();
    server.close();
    await once(server, 'close');
  };
  return {
    port: (server.address() as AddressInfo).port,
    ca: cert,
    requests,
    get connections() {
      return connections;
    },
    answer: (how) => {
      answer = how;
    },
    waitFor: (count, withinMs = WAIT_LIMIT_MS) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (requests.length < count) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(requests);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`${requests.length} of ${count} requests came within ${withinMs} ms`));
        }, withinMs);
        waiting.add(look);
        look();
      }),
    cut,
    closeIdle: () => server.closeIdleConnections(),
    close,
    [Symbol.asyncDispose]: close,
  };
};
