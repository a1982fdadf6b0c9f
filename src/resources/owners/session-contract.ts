/** A person's sessions and passkeys, in any workspace, and signing in by a passkey. */

import { z } from 'zod';
import { ANONYMOUS, SESSION } from '../../kernel/caller.ts';
import { idOutput, lineInput, timeOutput } from '../../kernel/fields.ts';
import { personOperation } from '../../kernel/operation.ts';

export const passkeyShape = z.object({
  id: z.string(),
  name: z.string(),
  created_at: timeOutput,
  last_used_at: timeOutput.nullable(),
});

export const sessionWorkspace = z.object({
  id: idOutput,
  slug: z.string(),
  name: z.string(),
  plan: z.string(),
  sending_state: z.enum(['normal', 'throttled', 'paused']),
  is_verified: z.boolean(),
  created_at: timeOutput,
});

/** The input and output of the browser's API (WebAuthn Level 2, section 5). */
const optionsShape = z.record(z.string(), z.unknown());
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]*$/);
const credential = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string().max(50), z.unknown()),
});
const registration = credential.extend({
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});
const authentication = credential.extend({
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
});

export const sessionContract = {
  get: personOperation({
    name: 'get_session',
    audience: SESSION,
    summary: 'Tells who is signed in, and which workspaces are theirs.',
    output: z.object({
      email: z.string(),
      hostname: z.string(),
      served_zone: z
        .string()
        .nullable()
        .describe("The zone that this instance's own DNS server answers for; null without that server"),
      is_local: z.boolean().describe('Whether mail stays on this instance'),
      set_up_away: z.boolean().describe('Whether the person has put the list of first steps away, or done them all'),
      workspaces: z.array(sessionWorkspace),
    }),
  }),
  list: personOperation({
    name: 'list_sessions',
    audience: SESSION,
    summary: "Lists the person's sessions, the last used first.",
    output: z.object({
      sessions: z.array(
        z.object({
          id: z.string(),
          is_this: z.boolean(),
          browser: z.string().describe('As it named itself at the sign-in: "Firefox on Linux"'),
          created_at: timeOutput,
          last_used_at: timeOutput.describe('To the hour'),
        }),
      ),
    }),
  }),
  endOne: personOperation({
    name: 'end_one_session',
    activity: 'session.end',
    audience: SESSION,
    summary: 'Ends one of the sessions of the person: that browser has to sign in again.',
    input: z.strictObject({ id: z.string().max(64) }),
    output: z.object({ ended: z.literal(true) }),
  }),
  end: personOperation({
    name: 'end_session',
    activity: 'session.end',
    audience: SESSION,
    summary: 'Signs the person out, of this session or of all, and ends the links that would sign it in again.',
    input: z.strictObject({ everywhere: z.boolean().default(false) }),
    output: z.object({ ended: z.literal(true) }),
  }),
};

export const passkeysContract = {
  list: personOperation({
    name: 'list_passkeys',
    audience: SESSION,
    summary: "Lists the person's passkeys.",
    output: z.object({
      available: z.boolean().describe('false: WebAuthn has no passkeys for a host that is an address'),
      passkeys: z.array(passkeyShape),
    }),
  }),
  begin: personOperation({
    name: 'begin_passkey',
    audience: SESSION,
    summary: 'The options by which a browser makes a passkey.',
    output: optionsShape,
  }),
  add: personOperation({
    name: 'add_passkey',
    activity: 'passkey.add',
    audience: SESSION,
    summary: 'Keeps the passkey that a browser has made.',
    input: z.strictObject({ name: lineInput(100), response: registration }),
    output: passkeyShape,
  }),
  remove: personOperation({
    name: 'remove_passkey',
    activity: 'passkey.remove',
    audience: SESSION,
    summary: 'Removes a passkey: it signs nobody in any more.',
    input: z.strictObject({ id: base64url }),
    output: z.object({ removed: z.literal(true) }),
  }),
  beginSignIn: personOperation({
    name: 'begin_passkey_sign_in',
    audience: ANONYMOUS,
    summary: 'The options by which a browser signs in with a passkey.',
    output: z.object({ available: z.boolean(), options: optionsShape.nullable() }),
  }),
  signIn: personOperation({
    name: 'sign_in_by_passkey',
    // No `activity`: the handler records it for the owner who signs in, because dispatch does not know the owner.
    audience: ANONYMOUS,
    summary: 'Begins a session by a passkey; a browser has it as a cookie.',
    input: z.strictObject({ response: authentication }),
    output: z.object({ session: z.string() }),
  }),
};
