/** Orders certificates (RFC 8555): the account, the order, the answers to its challenges, the chain. */

import { X509Certificate } from 'node:crypto';
import { Agent } from 'node:https';
import acme from 'acme-client';
import { SECOND } from '../../../kernel/clock.ts';
import { BY_ADDRESS } from '../../http/by-address.ts';
import { trustAlso } from '../authorities.ts';
import type { CertificatePair } from '../listener-certificates.ts';
import type { AcmeAccount } from './account.ts';
import { AuthorityUnreachable } from './authority-unreachable.ts';
import type { Challenge, ChallengeResponder, ChallengeType } from './challenge.ts';
import { createSigningRequest } from './signing-request.ts';

export interface AcmeSettings {
  directoryUrl: string;
  account: AcmeAccount;
  /** The contact address for the authority; null: none. */
  email: string | null;
  /** RFC 8555 section 7.3.4; null: none. */
  binding: { kid: string; hmacKey: string } | null;
  extraCa: string | null;
  responders: ReadonlyMap<ChallengeType, ChallengeResponder>;
}

export interface AcmeClient {
  /** @throws where the authority refuses, or a challenge of `type` does not prove a name */
  obtain(names: readonly [string, ...string[]], type: ChallengeType): Promise<CertificatePair>;
}

const REQUEST_TIME_OUT_MS = 30 * SECOND;
/** An order waits up to three minutes for its authority: so many polls, one to ten seconds apart. */
const WAITING = { backoffAttempts: 20, backoffMin: SECOND, backoffMax: 10 * SECOND };

/**
 * The library has one HTTP client. Its interceptors are removed: they repeat requests, which the next order does
 * anyway, and drop the reason of a failed connection.
 */
const configureHttp = (ca: string | null): void => {
  const { interceptors, defaults } = acme.axios;
  interceptors.request.clear();
  interceptors.response.clear();
  const httpsAgent = new Agent({ ...BY_ADDRESS, ...(ca !== null && { secureContext: trustAlso(ca) }) });
  Object.assign(defaults, { httpsAgent, timeout: REQUEST_TIME_OUT_MS });
};

/** Errors of the HTTP client without a response are those of the connection. */
const isConnectionFault = (error: unknown): error is Error =>
  error instanceof Error && 'isAxiosError' in error && !('response' in error && error.response);

export const createAcmeClient = (settings: AcmeSettings): AcmeClient => {
  const { directoryUrl, account, email, binding, extraCa, responders } = settings;
  configureHttp(extraCa);
  const client = new acme.Client({
    directoryUrl,
    accountKey: account.key,
    ...(account.url !== null && { accountUrl: account.url }),
    ...WAITING,
    ...(binding && { externalAccountBinding: binding }),
  });
  /** Registers the account, or finds it by its key. Its URL is kept before the order, which may fail. */
  const register = async (): Promise<void> => {
    if (account.url !== null) return;
    const registered = client.createAccount({
      termsOfServiceAgreed: true,
      ...(email !== null && { contact: [`mailto:${email}`] }),
    });
    await registered.catch((error: unknown) => {
      // For a known key the library updates the account, which authorities refuse where nothing has changed.
      if (!hasAccountUrl(client)) throw error;
    });
    account.keepUrl(client.getAccountUrl());
  };
  /** An authority that no longer knows the account refuses its URL: the next attempt finds or registers it by the key. */
  const explain = (error: unknown): unknown => {
    if (isConnectionFault(error)) {
      return new AuthorityUnreachable(`${directoryUrl} cannot be reached: ${error.message}`, { cause: error });
    }
    account.keepUrl(null);
    return error;
  };
  return {
    obtain: async (names, type) => {
      const responder = responders.get(type);
      if (!responder) throw new Error(`Nothing answers ${type} challenges.`);
      const [key, csr] = await createSigningRequest(names);
      const toChallenge = (
        { identifier }: { identifier: { value: string } },
        challenge: { type: string; token: string },
        keyAuthorization: string,
      ): Challenge => {
        if (challenge.type !== type) throw new Error(`The authority offers no ${type} challenge.`);
        return { name: identifier.value.toLowerCase(), token: challenge.token, keyAuthorization };
      };
      const order = async () => {
        await register();
        return client.auto({
          csr,
          termsOfServiceAgreed: true,
          // The authority connects from elsewhere, so a check from here proves nothing.
          skipChallengeVerification: true,
          challengePriority: [type],
          challengeCreateFn: async (...given) => responder.answer(toChallenge(...given)),
          challengeRemoveFn: async (...given) => responder.withdraw(toChallenge(...given)),
        });
      };
      const chain = await order().catch((error: unknown) => {
        throw explain(error);
      });
      const certificate = new X509Certificate(chain);
      const missing = names.find((name) => certificate.checkHost(name) === undefined);
      if (missing !== undefined) throw new Error(`The certificate that was issued is not for ${missing}.`);
      return { cert: Buffer.from(chain), key };
    },
  };
};

const hasAccountUrl = (client: acme.Client): boolean => {
  try {
    return client.getAccountUrl() !== '';
  } catch {
    return false;
  }
};
