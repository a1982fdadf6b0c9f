/** `/console/api/passkeys`: an owner's own, and signing in with one. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../kernel/errors.ts';
import { lineInput } from '../../kernel/fields.ts';
import type { Passkeys } from '../../resources/owners/passkeys.ts';
import type { SessionCookie } from '../pages/session-cookie.ts';
import { API } from './operation-calls.ts';
import type { SessionGuard } from './session-guard.ts';

export interface PasskeyCallsNeeds {
  guard: SessionGuard;
  cookie: SessionCookie;
  passkeys: Passkeys;
}

const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]*$/);
const registration = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
  clientExtensionResults: z.record(z.string().max(50), z.unknown()),
});
const authentication = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
  clientExtensionResults: z.record(z.string().max(50), z.unknown()),
});

const addInput = z.strictObject({ name: lineInput(100), response: registration });
const signInInput = z.strictObject({ response: authentication });
const removeInput = z.strictObject({ id: base64url });

const BODY_LIMIT = 64 * 1024;

const parse = <T extends z.ZodType>(schema: T, { body }: FastifyRequest): z.output<T> => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid_request', { hint: z.prettifyError(parsed.error) });
};

export const registerPasskeyCalls = (scope: FastifyInstance, { guard, cookie, passkeys }: PasskeyCallsNeeds): void => {
  const options = { bodyLimit: BODY_LIMIT };

  scope.post(`${API}/passkeys/list`, options, async (request, reply) => {
    const { session } = await guard.require(request, reply);
    return { available: passkeys.isAvailable, passkeys: await passkeys.list(session.owner.id) };
  });

  scope.post(`${API}/passkeys/begin`, options, async (request, reply) => {
    const { session } = await guard.require(request, reply);
    return passkeys.beginAdding(session.owner);
  });

  scope.post(`${API}/passkeys/add`, options, async (request, reply) => {
    const { session } = await guard.require(request, reply);
    const { name, response } = parse(addInput, request);
    return passkeys.add(session.owner, name, response as Parameters<Passkeys['add']>[2]);
  });

  scope.post(`${API}/passkeys/remove`, options, async (request, reply) => {
    const { session } = await guard.require(request, reply);
    await passkeys.remove(session.owner, parse(removeInput, request).id);
    return { removed: true };
  });

  scope.post(`${API}/passkeys/sign-in-begin`, options, async (request) => {
    guard.requireOwnPage(request);
    return { available: passkeys.isAvailable, options: passkeys.isAvailable ? await passkeys.beginSignIn() : null };
  });

  scope.post(`${API}/passkeys/sign-in`, options, async (request, reply) => {
    guard.requireOwnPage(request);
    const { response } = parse(signInInput, request);
    const secret = await passkeys.signIn(response as Parameters<Passkeys['signIn']>[0]);
    return cookie.set(reply, secret).send({ next: cookie.takeRemembered(request, reply) });
  });
};
