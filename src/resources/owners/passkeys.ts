/** Passkeys (WebAuthn Level 2): a signed-in owner adds one, and signs in with it later. */

import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  CredentialDeviceType,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { viewOf } from '../../access/view-of.ts';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { MINUTE, type Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { findOwnerById, hasWorkspace } from '../../store/owners/owners.ts';
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeysOf,
  type Passkey,
  touchPasskey,
} from '../../store/owners/passkeys.ts';
import type { Needs } from '../needs.ts';
import { recordForWorkspaces } from './record-for-workspaces.ts';
import { passkeyShape, type passkeysContract } from './session-contract.ts';
import { recordSignIn } from './sign-in.ts';

/** How long a person may take at the authenticator. The library tells a browser to give up after one minute. */
const CHALLENGE_VALID_MS = 5 * MINUTE;
const MAX_CHALLENGES = 10_000;
const MAX_PASSKEYS = 20;

/** Loaded with the first passkey, because it is a tenth of all code that the daemon would load at its start. */
const webAuthn = () => import('@simplewebauthn/server');

const toText = (id: Uint8Array): string => Buffer.from(id).toString('base64url');
const toBytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));

/** Several devices keep one passkey: each counts its own sign-ins, or none (WebAuthn Level 3 section 6.1). */
const countOf = (device: CredentialDeviceType, counter: number): number => (device === 'multiDevice' ? 0 : counter);

const view = viewOf(passkeyShape, ({ id }: Passkey) => ({ id: toText(id) }));

export const createPasskeys = (
  needs: Needs<'store' | 'clock' | 'activity' | 'publicUrl' | 'ownerSessions' | 'writeNotice'>,
): Handlers<typeof passkeysContract> => {
  const { store, clock, publicUrl, ownerSessions } = needs;
  const { origin, hostname } = new URL(publicUrl);
  /** Each is valid for one answer; null stands for a sign-in, in which the answer names the owner. */
  const challenges = new BoundedMap<string, { until: Millis; ownerId: OwnerId | null }>(MAX_CHALLENGES);

  const keep = (challenge: string, ownerId: OwnerId | null): void => {
    challenges.set(challenge, { until: clock.now() + CHALLENGE_VALID_MS, ownerId });
  };
  const takes =
    (ownerId: OwnerId | null) =>
    (challenge: string): boolean => {
      const kept = challenges.get(challenge);
      challenges.delete(challenge);
      return kept !== undefined && kept.ownerId === ownerId && kept.until > clock.now();
    };
  /** The library throws for every invalid answer. */
  const verified = async <T extends { verified: boolean }>(verify: () => Promise<T>): Promise<T> => {
    try {
      const result = await verify();
      if (result.verified) return result;
    } catch (cause) {
      throw new ApiError('invalid_passkey', { cause });
    }
    throw new ApiError('invalid_passkey');
  };

  /** WebAuthn has no passkeys for a host that is an IP address. */
  const available = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;

  return {
    list: async ({ ownerId }) => ({ available, passkeys: (await listPasskeysOf(store.read, ownerId)).map(view) }),

    begin: async ({ ownerId, email }) => {
      const known = await listPasskeysOf(store.read, ownerId);
      const options = await (await webAuthn()).generateRegistrationOptions({
        rpName: 'Postroom',
        rpID: hostname,
        userName: email,
        timeout: CHALLENGE_VALID_MS,
        attestationType: 'none',
        userID: new Uint8Array(Buffer.from(ownerId)),
        excludeCredentials: known.map((each) => ({ id: toText(each.id) })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      keep(options.challenge, ownerId);
      return { ...options };
    },

    add: async ({ ownerId, email }, { name, response }, { record }) => {
      const { verifyRegistrationResponse } = await webAuthn();
      const { registrationInfo } = await verified(() =>
        verifyRegistrationResponse({
          response: response as RegistrationResponseJSON,
          expectedChallenge: takes(ownerId),
          expectedOrigin: origin,
          expectedRPID: hostname,
          requireUserVerification: true,
        }),
      );
      if (!registrationInfo) throw new ApiError('invalid_passkey');
      const { credential } = registrationInfo;
      const passkey: Passkey = {
        id: toBytes(credential.id),
        ownerId,
        name,
        publicKey: credential.publicKey,
        counter: countOf(registrationInfo.credentialDeviceType, credential.counter),
        transports: credential.transports ?? [],
        createdAt: clock.now(),
        lastUsedAt: null,
      };
      return store.write(async (tx) => {
        if (!(await hasWorkspace(tx.db, ownerId))) throw new ApiError('not_signed_in');
        if ((await listPasskeysOf(tx.db, ownerId)).length >= MAX_PASSKEYS) {
          throw new ApiError('invalid_request', { hint: `A person has at most ${MAX_PASSKEYS} passkeys. Remove one.` });
        }
        if (!(await insertPasskey(tx, passkey))) throw new ApiError('invalid_passkey');
        const data = { name, at: passkey.createdAt, url: `${publicUrl}/console/you` };
        await needs.writeNotice(tx, { kind: 'passkey-added', data, ownerEmail: email });
        return recordForWorkspaces(record, tx, ownerId, { subject: email, detail: { name } }, view(passkey));
      });
    },

    remove: ({ ownerId, email }, { id }, { record }) =>
      store.write(async (tx) => {
        const passkey = await findPasskey(tx.db, toBytes(id));
        const isRemoved = passkey !== null && (await deletePasskey(tx, ownerId, passkey.id));
        if (!isRemoved) throw new ApiError('passkey_not_found');
        const act = { subject: email, detail: { name: passkey.name } };
        return recordForWorkspaces(record, tx, ownerId, act, { removed: true as const });
      }),

    beginSignIn: async () => {
      if (!available) return { available, options: null };
      const options = await (await webAuthn()).generateAuthenticationOptions({
        rpID: hostname,
        timeout: CHALLENGE_VALID_MS,
        userVerification: 'required',
      });
      keep(options.challenge, null);
      return { available, options: { ...options } };
    },

    signIn: async ({ browser }, { response }) => {
      const passkey = await findPasskey(store.read, toBytes(response.id));
      const owner = passkey && (await findOwnerById(store.read, passkey.ownerId));
      const { userHandle } = response.response;
      const isOthers = owner !== null && userHandle !== undefined && userHandle !== toText(Buffer.from(owner.id));
      if (!passkey || !owner || isOthers) throw new ApiError('invalid_passkey');
      const { verifyAuthenticationResponse } = await webAuthn();
      const { authenticationInfo } = await verified(() =>
        verifyAuthenticationResponse({
          response: response as AuthenticationResponseJSON,
          expectedChallenge: takes(null),
          expectedOrigin: origin,
          expectedRPID: hostname,
          credential: {
            id: toText(passkey.id),
            publicKey: new Uint8Array(passkey.publicKey),
            counter: passkey.counter,
          },
          requireUserVerification: true,
        }),
      );
      const { credentialDeviceType: device, newCounter } = authenticationInfo;
      // A copy of a key that has counted may claim to be synced: it is held to the count.
      const counter = passkey.counter === 0 ? countOf(device, newCounter) : newCounter;
      return store.write(async (tx) => {
        // The workspace or the passkey may have been removed meanwhile.
        const isLive = (await hasWorkspace(tx.db, owner.id)) && (await findPasskey(tx.db, passkey.id)) !== null;
        if (!isLive) throw new ApiError('invalid_passkey');
        await touchPasskey(tx, passkey.id, counter, clock.now());
        const session = await ownerSessions.begin(tx, owner.id, browser);
        await recordSignIn(needs, tx, owner, { by: 'passkey', name: passkey.name });
        return { session };
      });
    },
  };
};
