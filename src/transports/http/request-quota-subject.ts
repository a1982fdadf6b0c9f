/** The quota subject of a request: its network, until it is authenticated. */

import type { FastifyRequest } from 'fastify';
import type { QuotaSubject } from '../../budget/quota-subject.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';

const quotaSubjects = new WeakMap<FastifyRequest, QuotaSubject>();

/** Call before the body is read. */
export const setQuotaSubject = (request: FastifyRequest, quotaSubject: QuotaSubject): void => {
  quotaSubjects.set(request, quotaSubject);
};

export const isAnonymous = (request: FastifyRequest): boolean => !quotaSubjects.has(request);

export const quotaSubjectOf = (request: FastifyRequest): QuotaSubject =>
  quotaSubjects.get(request) ?? { network: clientNetwork(request.ip) };
