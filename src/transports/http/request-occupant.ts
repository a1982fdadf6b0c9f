/** Whose share of the budget a request takes: a stranger's by its network, until it is known who asks. */

import type { FastifyRequest } from 'fastify';
import type { Occupant } from '../../budget/occupant.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';

const occupants = new WeakMap<FastifyRequest, Occupant>();

/** To be called before the body is read. */
export const setOccupant = (request: FastifyRequest, occupant: Occupant): void => {
  occupants.set(request, occupant);
};

export const isStranger = (request: FastifyRequest): boolean => !occupants.has(request);

export const occupantOf = (request: FastifyRequest): Occupant =>
  occupants.get(request) ?? { network: clientNetwork(request.ip) };
