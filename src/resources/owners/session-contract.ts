/** A person's sessions and passkeys, in any workspace, and signing in by a passkey. */

import { z } from 'zod';
import { idOutput, lineInput, timeOutput } from '../../kernel/fields.ts';
import { ANONYMOUS, personOperation, SESSION } from '../../kernel/operation.ts';

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
  /** Tells who is signed in, and which workspaces are theirs. */
  get: personOperation({
    audience: SESSION,
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
    audience: SESSION,
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
  /** Ends one of the sessions of the person: that browser has to sign in again. */
  endOne: personOperation({
    activity: 'session.end',
    audience: SESSION,
    input: z.strictObject({ id: z.string().max(64) }),
    output: z.object({ ended: z.literal(true) }),
  }),
  /** Signs the person out, of this session or of all, and ends the links that would sign it in again. */
  end: personOperation({
    activity: 'session.end',
    audience: SESSION,
    input: z.strictObject({ everywhere: z.boolean().default(false) }),
    output: z.object({ ended: z.literal(true) }),
  }),
};

export const passkeysContract = {
  list: personOperation({
    audience: SESSION,
    output: z.object({
      available: z.boolean().describe('false: WebAuthn has no passkeys for a host that is an address'),
      passkeys: z.array(passkeyShape),
    }),
  }),
  /** The options by which a browser makes a passkey. */
  begin: personOperation({
    audience: SESSION,
    output: optionsShape,
  }),
  /** Keeps the passkey that a browser has made. */
  add: personOperation({
    activity: 'passkey.add',
    audience: SESSION,
    input: z.strictObject({ name: lineInput(100), response: registration }),
    output: passkeyShape,
  }),
  /** Removes a passkey. */
  remove: personOperation({
    activity: 'passkey.remove',
    audience: SESSION,
    input: z.strictObject({ id: base64url }),
    output: z.object({ removed: z.literal(true) }),
  }),
  /** The options by which a browser signs in with a passkey. */
  beginSignIn: personOperation({
    audience: ANONYMOUS,
    output: z.object({ available: z.boolean(), options: optionsShape.nullable() }),
  }),
  /** Begins a session by a passkey; a browser has it as a cookie. */
  signIn: personOperation({
    // No `activity`: the handler records it for the owner who signs in, because dispatch does not know the owner.
    audience: ANONYMOUS,
    input: z.strictObject({ response: authentication }),
    output: z.object({ session: z.string() }),
  }),
};
