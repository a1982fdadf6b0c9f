/** Plain HTTP beside HTTPS: serves http-01 challenges (RFC 8555 section 8.3), and redirects all else. */

import type { FastifyInstance } from 'fastify';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { ChallengeResponder } from '../../net/tls/acme/challenge.ts';
import { createHttpServer, type HttpSettings, type RequestFacts } from './http-server.ts';

/** Challenges at once. */
const MAX_CHALLENGES = 100;

export interface PlainHttp extends ChallengeResponder {
  /** @param publicUrl the target of redirects, never the request's host */
  create(
    settings: Omit<HttpSettings, 'newRequestId' | 'countUnrouted' | 'sendRefusalPage' | 'onError'>,
    publicUrl: string,
    onError: (error: unknown, about: RequestFacts) => void,
  ): FastifyInstance;
}

export const createPlainHttp = (): PlainHttp => {
  const bodies = new BoundedMap<string, string>(MAX_CHALLENGES);
  return {
    answer: ({ token, keyAuthorization }) => void bodies.set(token, keyAuthorization),
    withdraw: ({ token }) => void bodies.delete(token),
    create: (settings, publicUrl, onError) => {
      const { origin } = new URL(publicUrl);
      let requests = 0;
      const app = createHttpServer(
        {
          ...settings,
          newRequestId: () => `plain-${++requests}`,
          countUnrouted: async () => {},
          sendRefusalPage: (reply, { status }) => reply.code(status).send(),
          onError,
        },
        [],
      );
      app.get<{ Params: { token: string } }>('/.well-known/acme-challenge/:token', async ({ params }, reply) => {
        const body = bodies.get(params.token);
        return body === undefined
          ? reply.code(404).type('text/plain').send('No such challenge.')
          : reply.type('application/octet-stream').send(body);
      });
      // Joined, not resolved: `//host/` would lead to another host.
      app.get('/*', async ({ url }, reply) => reply.redirect(`${origin}${url}`, 308));
      return app;
    },
  };
};
