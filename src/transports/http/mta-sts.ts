/** Serves the MTA-STS policy of the instance's domains (RFC 8461 section 3.3), selected by the request's host. */

import type { FastifyInstance } from 'fastify';
import { formatStsPolicy } from '../../domains/mta-sts.ts';
import { parseDomain } from '../../kernel/address.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { CountRequest } from './authenticate-request.ts';

const POLICY_LABEL = 'mta-sts.';

export interface StsPolicyNeeds {
  countPage: CountRequest;
  hostname: string;
  /** Whether this instance receives mail for a domain: its own, or a verified one. */
  isOwnDomain: (domain: string) => Promise<boolean>;
}

export const registerStsPolicy = (app: FastifyInstance, { countPage, hostname, isOwnDomain }: StsPolicyNeeds): void => {
  const policy = formatStsPolicy(hostname);
  app.get('/.well-known/mta-sts.txt', { onRequest: countPage, exposeHeadRoute: true }, async (request, reply) => {
    const host = request.hostname.toLowerCase().replace(/\.$/, '');
    const domain = host.startsWith(POLICY_LABEL) ? parseDomain(host.slice(POLICY_LABEL.length)) : null;
    if (!domain || !(await isOwnDomain(domain))) throw new ApiError('route_not_found');
    return reply.type('text/plain; charset=utf-8').send(policy);
  });
};
