/** A domain's DKIM keys: two active ones and a published next one. Private keys are sealed with the vault's key. */

import type { Millis } from '../kernel/clock.ts';
import { generateDkimKey } from '../mail/auth/dkim-key.ts';
import type { SigningKey } from '../mail/auth/dkim-sign.ts';
import { open, seal } from '../seal/envelope.ts';
import { type DkimKey, findDomain, listDkimKeys } from '../store/accounts/domains.ts';
import type { Db } from '../store/store.ts';

/**
 * RSA for every verifier (RFC 8301), Ed25519 for verifiers that support it (RFC 8463), and the RSA key of the next
 * rotation.
 */
const PLAN = [
  { selector: 'pr1', algorithm: 'rsa-sha256', role: 'signing' },
  { selector: 'pe1', algorithm: 'ed25519-sha256', role: 'signing' },
  { selector: 'pr2', algorithm: 'rsa-sha256', role: 'next' },
] as const;

/** Context of the seal, so that one domain's key is invalid for another. */
export const dkimContext = (domain: string, selector: string): string => `dkim:${selector}._domainkey.${domain}`;

export const makeDkimKeys = async (vaultKey: Buffer, domain: string, now: Millis): Promise<DkimKey[]> =>
  Promise.all(
    PLAN.map(async ({ selector, algorithm, role }) => {
      const { privateKey, publicKey } = await generateDkimKey(algorithm);
      const sealedPrivateKey = seal(vaultKey, Buffer.from(privateKey), dkimContext(domain, selector));
      return { selector, algorithm, role, publicKey, sealedPrivateKey, createdAt: now };
    }),
  );

export type SigningKeys = (domain: string) => Promise<SigningKey[]>;

/** @param vaultKey null where the key file is missing: signing then fails, and deliveries are deferred */
export const createSigningKeys =
  (db: Db, vaultKey: Buffer | null): SigningKeys =>
  async (name) => {
    if (!vaultKey) throw new Error("The vault's key is missing.");
    const domain = await findDomain(db, name);
    const keys = domain ? await listDkimKeys(db, domain.id) : [];
    return keys
      .filter(({ role }) => role === 'signing')
      .map(({ selector, algorithm, sealedPrivateKey }) => {
        const privateKey = open(vaultKey, sealedPrivateKey, dkimContext(name, selector));
        if (!privateKey) throw new Error(`The DKIM key ${selector} of ${name} does not open with the vault's key.`);
        return { domain: name, selector, algorithm, privateKey: privateKey.toString() };
      });
  };
