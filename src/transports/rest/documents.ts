/** Routes beside the operations: health, the interface's description, and the image that counts an open. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../../access/rate-limit.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Operation } from '../../kernel/operation.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { countRequest } from '../http/admission.ts';
import { openApiDocument } from './openapi.ts';

export interface Readiness {
  ready: boolean;
  /** What is wrong or missing, each by its name. */
  detail: Record<string, string>;
}

export interface DocumentNeeds {
  /** By address: none of these needs a key, and one of them writes. */
  limit: RateLimit;
  clock: Clock;
  publicUrl: string;
  readiness: () => Promise<Readiness>;
  countOpen: (messageId: string) => Promise<void>;
}

/** 43 bytes: a transparent GIF of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const registerDocuments = (
  app: FastifyInstance,
  operations: readonly Operation[],
  needs: DocumentNeeds,
): void => {
  const description = openApiDocument(operations, needs.publicUrl);
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    countRequest(needs.limit, clientNetwork(request.ip), needs.clock, reply);
  app.get('/openapi.json', { onRequest }, async () => description);
  // Health counts to no limit: whoever watches the box must not be turned away.
  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => {
    const { ready, detail } = await needs.readiness();
    return reply.code(ready ? 200 : 503).send({ ready, ...detail });
  });
  app.get<{ Params: { file: string } }>('/o/:file', { onRequest }, async (request, reply) => {
    // The same image whatever is asked for: it says nothing about which messages there are.
    await needs.countOpen(request.params.file.replace(/\.gif$/, ''));
    return reply.type('image/gif').header('cache-control', 'no-store').send(PIXEL);
  });
};
