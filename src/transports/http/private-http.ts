/** The private listener: metrics for Prometheus, and the state for monitoring. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { ListenAddress } from '../../config/config-values.ts';
import { SECOND } from '../../kernel/clock.ts';

export interface PrivateHttpNeeds {
  /** In Prometheus' text format. */
  metrics: () => Promise<{ contentType: string; text: string }>;
  /** Rejects where the data cannot be read. */
  readiness: () => Promise<{ ready: boolean; detail: object }>;
  onError: (error: unknown) => void;
}

const HEADER_TIME_OUT_MS = 10 * SECOND;
const MAX_CONNECTIONS = 50;

/** Resolves once it listens. */
export const listenPrivately = async (
  { host, port }: ListenAddress,
  { metrics, readiness, onError }: PrivateHttpNeeds,
): Promise<Server> => {
  const answers: Readonly<Record<string, () => Promise<[status: number, type: string, body: string]>>> = {
    '/metrics': async () => {
      const { contentType, text } = await metrics();
      return [200, contentType, text];
    },
    '/healthz': async () => [200, 'application/json', '{"ok":true}'],
    '/readyz': async () => {
      const { ready, detail } = await readiness();
      return [ready ? 200 : 503, 'application/json', JSON.stringify({ ready, ...detail })];
    },
  };
  const server = createServer({ headersTimeout: HEADER_TIME_OUT_MS }, (request, response) => {
    const end = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const answer = answers[(request.url ?? '').split('?', 1)[0] ?? ''];
    if (!answer)
      return end(404, 'application/json', '{"error":"route_not_found","hint":"/metrics, /healthz, /readyz"}');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return end(405, 'application/json', '{"error":"method_not_allowed","hint":"GET"}');
    }
    answer().then(
      (given) => end(...given),
      (error: unknown) => {
        onError(error);
        end(503, 'application/json', '{"error":"overloaded","hint":"The data cannot be read; the log says why."}');
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  await once(server.listen(port, host), 'listening');
  return server.on('error', onError);
};
