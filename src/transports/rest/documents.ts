/** Routes beside the operations: health, the interface's description, and the image that counts an open. */

import type { FastifyInstance } from 'fastify';
import type { Operation } from '../../kernel/operation.ts';
import { openApiDocument } from './openapi.ts';

export interface Readiness {
  ready: boolean;
  /** What is wrong or missing, each by its name. */
  detail: Record<string, string>;
}

export interface DocumentNeeds {
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
  app.get('/openapi.json', async () => description);
  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => {
    const { ready, detail } = await needs.readiness();
    return reply.code(ready ? 200 : 503).send({ ready, ...detail });
  });
  app.get<{ Params: { file: string } }>('/o/:file', async (request, reply) => {
    // The same image whatever is asked for: it says nothing about which messages there are.
    await needs.countOpen(request.params.file.replace(/\.gif$/, ''));
    return reply.type('image/gif').header('cache-control', 'no-store').send(PIXEL);
  });
};
