/**
 * `/console/api/{noun}/{act}`: every operation for owners, through the same dispatch as REST. An operation that
 * answers with bytes is also a GET: a download. Only the cookie holds a session's secret.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatch } from '../../access/dispatch.ts';
import type { OwnerSession } from '../../access/owner-sessions.ts';
import { inputOf } from '../../access/reach.ts';
import type { Caller, OwnerCaller, SessionCaller } from '../../kernel/caller.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Bound } from '../../kernel/handlers.ts';
import { isJsonObject } from '../../kernel/json-object.ts';
import { parseMediaType } from '../../kernel/media-type.ts';
import {
  type BytesReply,
  bytesReply,
  type Contract,
  isPublic,
  isRouted,
  type Operation,
} from '../../kernel/operation.ts';
import { fieldsOf } from '../../kernel/schema-walk.ts';
import { nameBrowser } from '../../kernel/text/browser-name.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import { passkeysContract, sessionContract } from '../../resources/owners/session-contract.ts';
import { sendBytes } from '../http/bytes-reply.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { type SessionCookie, SIGNED_IN } from '../pages/session-cookie.ts';
import { readQueryFields } from '../rest/input.ts';
import { countAsOwner, type SessionGuard } from './session-guard.ts';

export interface OperationCallsNeeds {
  guard: SessionGuard;
  cookie: SessionCookie;
  dispatch: Dispatch;
  /** The contracts' lists, by noun. */
  contracts: Readonly<Record<string, Contract>>;
  operations: readonly Bound<Operation>[];
}

const OWNER = { kind: 'owner' } as const;
/** 10 MiB of a file that is attached, in base64; above the largest file of contacts that is imported. */
const BODY_LIMIT = 14 * 1024 * 1024;
/** For requests without a session, such as signing in by a passkey. */
const OPEN_BODY_LIMIT = 64 * 1024;
export const API = '/console/api';

interface Params {
  noun: string;
  act: string;
}

export interface OwnerCalls {
  /** The operation of a path. @throws ApiError route_not_found */
  find(params: Params): Bound<Operation>;
  /**
   * Runs before the body is read, so that a request without a session costs no 14 MiB.
   * @throws ApiError for an unknown path or caller
   */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The operations that need no session, by path. */
  open: ReadonlyMap<string, Bound<Operation>>;
  /** Runs one of them. @throws ApiError origin_not_allowed */
  runOpen(request: FastifyRequest, reply: FastifyReply, bound: Bound<Operation>): Promise<unknown>;
  /** Checks the session again after the body, which a client may delay: an ended session runs nothing. */
  run(request: FastifyRequest, reply: FastifyReply, bound: Bound<Operation>, input: unknown): Promise<unknown>;
}

/** The session itself where the operation concerns it; else the owner in the requested workspace. */
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
      // REST serves the operations with a route.
      else if (isPublic(operation) && !isRouted(operation)) open.set(`${noun}/${act}`, bound);
    }
  }
  const call = async (
    bound: Bound<Operation>,
    caller: Caller,
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
    return { next: SIGNED_IN };
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
      countAsOwner(request, session, callerFor(guard, bound, request, session));
    },
    run: async (request, reply, bound, input) => {
      const found = requireFound(await guard.find(request), 'not_signed_in');
      return call(bound, callerFor(guard, bound, request, found), reply, input);
    },
    open,
    runOpen: (request, reply, bound) => {
      guard.requireOwnPage(request);
      const browser = nameBrowser(request.headers['user-agent']);
      const caller = { kind: 'anonymous', network: clientNetwork(request.ip), browser } as const;
      return call(bound, caller, reply, readBody(request.body));
    },
  };
};

/** The console shows a refusal at its field, in words of its own unless the hint is `specific`: then it says more. */
const withFault = (error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error;
  const { code, hint, fields, fault, headers, cause, isSpecific } = error;
  const about = { ...fields, ...fault, ...(isSpecific && { specific: true }) };
  return new ApiError(code, { hint, fields: about, headers, cause });
};

const readBody = (body: unknown): object => {
  if (body === undefined) return {};
  if (isJsonObject(body)) return body;
  throw new ApiError('invalid_request', { hint: 'The body is a JSON object.' });
};

/** `workspace` selects the caller's workspace and is no input. */
export const inputOfQuery = ({ operation }: Bound<Operation>, request: FastifyRequest): Record<string, unknown> => {
  const { workspace: _, ...query } = request.query as Record<string, string | string[]>;
  const input = inputOf(operation, OWNER);
  return readQueryFields(input, new Set(Object.keys(fieldsOf(input))), query);
};

/** SVG is a document, not a picture: a small one keeps the page that draws it busy for ever. */
const KEPT_TYPE = /^(?:image\/(?:png|jpe?g|gif|webp|avif|bmp)|message\/rfc822)$/;

/** For a browser, which draws pictures by their type; all else is a file to save, and no script or style of this origin. */
const sendToBrowser = (reply: FastifyReply, bytes: BytesReply): FastifyReply => {
  const isKept = KEPT_TYPE.test(parseMediaType(bytes.contentType)?.type ?? '');
  return sendBytes(reply, isKept ? bytes : { ...bytes, contentType: 'application/octet-stream' });
};

export const registerOperationCalls = (scope: FastifyInstance, calls: OwnerCalls): void => {
  const { admit } = calls;
  scope.post<{ Params: Params }>(
    `${API}/:noun/:act`,
    { bodyLimit: BODY_LIMIT, onRequest: admit },
    async (request, reply) => {
      const bound = calls.find(request.params);
      const answer = await calls.run(request, reply, bound, readBody(request.body));
      return bound.operation.output === bytesReply ? sendToBrowser(reply, answer as BytesReply) : answer;
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
    return sendToBrowser(reply, (await calls.run(request, reply, bound, inputOfQuery(bound, request))) as BytesReply);
  });
};
