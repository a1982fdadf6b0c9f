/** The peer of the HTTP bench, a process of its own: Fastify with one route for each answer that it is sent. */

import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

export interface BareAnswer {
  readonly path: string;
  readonly body: string;
}

const serve = async (answers: readonly BareAnswer[]): Promise<void> => {
  const app = Fastify();
  for (const { path, body } of answers) {
    app.get(path, (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.((app.server.address() as AddressInfo).port);
};

process.once('message', (answers) => void serve(answers as BareAnswer[]));
