/** Routes beside the operations: health, the interface's description, and the open pixel. */

import type { FastifyInstance } from 'fastify';
import type { RoutedOperation } from '../../kernel/operation.ts';
import type { CountRequest } from '../http/authenticate-request.ts';
import { registerDocs } from '../http/docs.ts';
import { openApiDocument } from './openapi/document.ts';
import { oneOperation } from './openapi/one-operation.ts';

export interface Readiness {
  ready: boolean;
  /** Faults and missing parts, by name. */
  detail: Record<string, string>;
}

export interface DocumentNeeds {
  /** No route needs a key, and one writes. */
  countPage: CountRequest;
  publicUrl: string;
  /** Whether agents may sign up by themselves. */
  opensSignup: boolean;
  readiness: () => Promise<Readiness>;
  countOpen: (openToken: string) => Promise<void>;
}

const OPEN_TOKEN = /^([\w-]{22})\.gif$/;
/** 43 bytes: a transparent GIF of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const registerDocuments = (
  app: FastifyInstance,
  operations: readonly RoutedOperation[],
  needs: DocumentNeeds,
): void => {
  let description: ReturnType<typeof openApiDocument> | null = null;
  const { countPage: onRequest } = needs;
  // Monitors and link checkers ask by HEAD.
  const options = { onRequest, exposeHeadRoute: true };
  app.get<{ Querystring: { operation?: unknown } }>('/openapi.json', options, async ({ query }) => {
    description ??= openApiDocument(operations, needs.publicUrl);
    return query.operation === undefined ? description : oneOperation(description, String(query.operation));
  });
  registerDocs(app, needs, onRequest);
  // Health checks are not rate-limited.
  const asked = { exposeHeadRoute: true };
  app.get('/healthz', asked, async () => ({ ok: true }));
  app.get('/readyz', asked, async (_request, reply) => {
    const { ready, detail } = await needs.readiness();
    return reply.code(ready ? 200 : 503).send({ ready, ...detail });
  });
  app.get<{ Params: { file: string } }>('/o/:file', { onRequest }, async (request, reply) => {
    // Always the same image, so that it does not reveal which messages exist.
    const token = OPEN_TOKEN.exec(request.params.file)?.[1];
    if (token !== undefined) await needs.countOpen(token);
    return reply.type('image/gif').header('cache-control', 'no-store').send(PIXEL);
  });
};
