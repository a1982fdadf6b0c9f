/**
 * `/console/api/{noun}/{act}`: every operation that owners may call, as REST has those of agents. One gate runs them. An
 * operation that answers with bytes is a GET as well: a download. The secret of a session stands in the cookie alone.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatch } from '../../access/dispatch.ts';
import type { OwnerSession } from '../../access/owner-sessions.ts';
import { inputOf } from '../../access/reach.ts';
import type { Caller, OwnerCaller, SessionCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Bound } from '../../kernel/handlers.ts';
import { isJsonObject } from '../../kernel/json-object.ts';
import {
  type BytesReply,
  bytesReply,
  type Contract,
  isPublic,
  isRouted,
  type Operation,
} from '../../kernel/operation.ts';
import { fieldsOf } from '../../kernel/schema-walk.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import { passkeysContract, sessionContract } from '../../resources/owners/session-contract.ts';
import { sendBytes } from '../http/bytes-reply.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { setOccupant } from '../http/request-occupant.ts';
import type { SessionCookie } from '../pages/session-cookie.ts';
import { readQueryFields } from '../rest/input.ts';
import type { SessionGuard } from './session-guard.ts';

export interface OperationCallsNeeds {
  guard: SessionGuard;
  cookie: SessionCookie;
  dispatch: Dispatch;
  /** The contracts' lists, by noun. */
  contracts: Readonly<Record<string, Contract>>;
  operations: readonly Bound<Operation>[];
}

const OWNER = { kind: 'owner' } as const;
/** Above the largest file of contacts that is imported. */
const BODY_LIMIT = 8 * 1024 * 1024;
/** Of a request without a session, as signing in by a passkey. */
const OPEN_BODY_LIMIT = 64 * 1024;
export const API = '/console/api';

interface Params {
  noun: string;
  act: string;
}

export interface OwnerCalls {
  /** The operation of a path. @throws ApiError route_not_found */
  find(params: Params): Bound<Operation>;
  /** Before the body is read: a request without a session costs no 8 MiB. @throws ApiError where the path or the caller is none */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The operations that need no session, by path. */
  open: ReadonlyMap<string, Bound<Operation>>;
  /** Runs one of them. @throws ApiError origin_not_allowed */
  runOpen(request: FastifyRequest, reply: FastifyReply, bound: Bound<Operation>): Promise<unknown>;
  /** Once the body is there, which a client may hold back: a session that ended meanwhile runs nothing. */
  run(request: FastifyRequest, reply: FastifyReply, bound: Bound<Operation>, input: unknown): Promise<unknown>;
}

/** The session itself where the operation is about it; else the owner in the workspace that the request names. */
const callerFor = (
  { callerOf }: SessionGuard,
  { operation }: Bound<Operation>,
  request: FastifyRequest,
  session: OwnerSession,
): OwnerCaller | SessionCaller => (operation.audience.includes('session') ? session.self : callerOf(request, session));

export const createOwnerCalls = (needs: OperationCallsNeeds): OwnerCalls => {
  const { guard, cookie, dispatch, contracts, operations } = needs;
  const handlers = new Map(operations.map((bound) => [bound.operation, bound]));
  const byPath = new Map<string, Bound<Operation>>();
  const open = new Map<string, Bound<Operation>>();
  for (const [noun, contract] of Object.entries(contracts)) {
    for (const [act, operation] of Object.entries(contract)) {
      const bound = handlers.get(operation);
      const { audience } = operation;
      if (!bound) continue;
      if (audience.includes('owner') || audience.includes('session')) byPath.set(`${noun}/${act}`, bound);
      // One with a route is REST's.
      else if (isPublic(operation) && !isRouted(operation)) open.set(`${noun}/${act}`, bound);
    }
  }
  const call = async (
    bound: Bound<Operation>,
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
    input: unknown,
  ): Promise<unknown> => {
    const { status, body } = await dispatch(bound, {
      caller,
      input,
      idempotencyKey: null,
      via: 'console',
      signal: disconnectSignal(reply),
    }).catch((error: unknown) => {
      throw withFault(error);
    });
    reply.code(status).header('cache-control', 'no-store');
    if (bound.operation === sessionContract.end) cookie.clear(reply);
    if (bound.operation !== passkeysContract.signIn) return body;
    cookie.set(reply, (body as { session: string }).session);
    return { next: cookie.takeRemembered(request, reply) };
  };
  const find = ({ noun, act }: Params): Bound<Operation> => {
    const found = byPath.get(`${noun}/${act}`);
    if (!found) throw new ApiError('route_not_found', { hint: 'The console has no such operation.' });
    return found;
  };
  return {
    find,
    admit: async (request, reply) => {
      const bound = find(request.params as Params);
      const session = await guard.require(request, reply);
      const caller = callerFor(guard, bound, request, session);
      const workspace = caller.kind === 'owner' ? { workspace: caller.workspaceId } : {};
      setOccupant(request, { ...workspace, key: `owner:${session.owner.email}` });
    },
    run: async (request, reply, bound, input) => {
      const found = await guard.find(request);
      if (!found) throw new ApiError('not_signed_in');
      return call(bound, callerFor(guard, bound, request, found), request, reply, input);
    },
    open,
    runOpen: (request, reply, bound) => {
      guard.requireOwnPage(request);
      const caller = { kind: 'anonymous', network: clientNetwork(request.ip) } as const;
      return call(bound, caller, request, reply, readBody(request.body));
    },
  };
};

/** The console shows a refusal at the field that it is about, and makes its own words of it. */
const withFault = (error: unknown): unknown => {
  if (!(error instanceof ApiError) || error.fault === null) return error;
  const { code, hint, fields, fault, headers, cause } = error;
  return new ApiError(code, { hint, fields: { ...fields, ...fault }, headers, cause });
};

const readBody = (body: unknown): object => {
  if (body === undefined) return {};
  if (isJsonObject(body)) return body;
  throw new ApiError('invalid_request', { hint: 'The body is a JSON object.' });
};

/** `workspace` names where the call is made, not what it is about. */
export const inputOfQuery = ({ operation }: Bound<Operation>, request: FastifyRequest): Record<string, unknown> => {
  const { workspace: _, ...query } = request.query as Record<string, string | string[]>;
  const input = inputOf(operation, OWNER);
  return readQueryFields(input, new Set(Object.keys(fieldsOf(input))), query);
};

export const registerOperationCalls = (scope: FastifyInstance, calls: OwnerCalls): void => {
  const { admit } = calls;
  scope.post<{ Params: Params }>(
    `${API}/:noun/:act`,
    { bodyLimit: BODY_LIMIT, onRequest: admit },
    async (request, reply) => {
      const bound = calls.find(request.params);
      const answer = await calls.run(request, reply, bound, readBody(request.body));
      return bound.operation.output === bytesReply ? sendBytes(reply, answer as BytesReply) : answer;
    },
  );

  for (const [path, bound] of calls.open) {
    scope.post(`${API}/${path}`, { bodyLimit: OPEN_BODY_LIMIT }, (request, reply) =>
      calls.runOpen(request, reply, bound),
    );
  }

  scope.get<{ Params: Params }>(`${API}/:noun/:act`, { onRequest: admit }, async (request, reply) => {
    const bound = calls.find(request.params);
    if (bound.operation.output !== bytesReply) {
      throw new ApiError('method_not_allowed', { headers: { allow: 'POST' } });
    }
    return sendBytes(reply, (await calls.run(request, reply, bound, inputOfQuery(bound, request))) as BytesReply);
  });
};
