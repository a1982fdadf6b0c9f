/** A domain's DKIM keys: two active ones and a published next one. Private keys are sealed with the vault's key. */

import type { Millis } from '../kernel/clock.ts';
import { generateDkimKey } from '../mail/auth/dkim-key.ts';
import type { SigningKey } from '../mail/auth/dkim-sign.ts';
import { open, seal } from '../seal/envelope.ts';
import { type DkimKey, findDomain, listDkimKeys, type NewDkimKey } from '../store/accounts/domains.ts';
import type { Db } from '../store/store.ts';

type KeyPlan = Pick<DkimKey, 'selector' | 'algorithm' | 'role'>;

/** Selector numbers that {@link makeDkimKeys} uses. */
export const NUMBERS_OF_NEW_KEYS = 2;

/**
 * RSA for every verifier (RFC 8301), Ed25519 for verifiers that support it (RFC 8463), and the RSA key of the next
 * rotation.
 */
const planKeys = (first: number): KeyPlan[] => [
  { selector: `pr${first}`, algorithm: 'rsa-sha256', role: 'signing' },
  { selector: `pe${first}`, algorithm: 'ed25519-sha256', role: 'signing' },
  planNextKey(first + 1),
];

const planNextKey = (number: number): KeyPlan => ({ selector: `pr${number}`, algorithm: 'rsa-sha256', role: 'next' });

export const selectorNumber = (selector: string): number => Number(/\d+$/.exec(selector)?.[0] ?? 0);

/** Context of the seal, so that one domain's key is invalid for another. */
export const dkimContext = (domain: string, selector: string): string => `dkim:${selector}._domainkey.${domain}`;

const makeDkimKey = async (vaultKey: Buffer, domain: string, plan: KeyPlan, now: Millis): Promise<NewDkimKey> => {
  const { privateKey, publicKey } = await generateDkimKey(plan.algorithm);
  const sealedPrivateKey = seal(vaultKey, Buffer.from(privateKey), dkimContext(domain, plan.selector));
  return { ...plan, publicKey, sealedPrivateKey, createdAt: now };
};

/** @param first the number of the first selector */
export const makeDkimKeys = async (vaultKey: Buffer, domain: string, now: Millis, first = 1): Promise<NewDkimKey[]> =>
  Promise.all(planKeys(first).map((plan) => makeDkimKey(vaultKey, domain, plan, now)));

/** The key of the rotation after the next. */
export const makeNextDkimKey = (vaultKey: Buffer, domain: string, now: Millis, number: number): Promise<NewDkimKey> =>
  makeDkimKey(vaultKey, domain, planNextKey(number), now);

/** @throws Error where the vault's key is another than the one that sealed it */
export const openDkimKey = (vaultKey: Buffer, domain: string, key: DkimKey): SigningKey => {
  const { selector, algorithm, sealedPrivateKey } = key;
  const privateKey = open(vaultKey, sealedPrivateKey, dkimContext(domain, selector));
  if (!privateKey) throw new Error(`The DKIM key ${selector} of ${domain} does not open with the vault's key.`);
  return { domain, selector, algorithm, privateKey: privateKey.toString() };
};

export type SigningKeys = (domain: string) => Promise<SigningKey[]>;

/** @param vaultKey null where the key file is missing: signing then fails, and deliveries are deferred */
export const createSigningKeys =
  (db: Db, vaultKey: Buffer | null): SigningKeys =>
  async (name) => {
    if (!vaultKey) throw new Error("The vault's key is missing.");
    const domain = await findDomain(db, name);
    const keys = domain ? await listDkimKeys(db, domain.id) : [];
    return keys.filter(({ role }) => role === 'signing').map((key) => openDkimKey(vaultKey, name, key));
  };
