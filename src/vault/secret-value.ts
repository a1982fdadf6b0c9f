/** A secret's value by type, and its parts that the leak guard searches for. */

import { isGuarded } from '../seal/leak-patterns.ts';
import type { SecretType } from '../store/vault/secrets.ts';

/** The fields of a value, as its type has them. */
export type SecretValue = Readonly<Record<string, string>>;

/** Fields that are not secret: names, places and published values. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['username', 'endpoint', 'public_key']);

export const TOTP_FIELD = 'totp_seed';

export const hasTotp = (type: SecretType, value: SecretValue): boolean => type === 'login' && TOTP_FIELD in value;

/** A seed of one-time codes stands alone or in an otpauth:// URI; base32 has no case (RFC 4648 section 6). */
const seedTexts = (text: string): string[] => {
  const seed = URL.parse(text)?.searchParams.get('secret') ?? text;
  return [...new Set([text, seed, seed.toUpperCase(), seed.toLowerCase()])];
};

const textsOf = (name: string, text: string): string[] => {
  if (PUBLIC_FIELDS.has(name)) return [];
  return name === TOTP_FIELD ? seedTexts(text) : [text];
};

/** The texts that no mail may contain. */
export const guardedTexts = (value: SecretValue): string[] =>
  Object.entries(value).flatMap(([name, text]) => textsOf(name, text));

/** Fields with a secret text too short to search for in mail. */
export const unguardedFields = (value: SecretValue): string[] =>
  Object.entries(value).flatMap(([name, text]) => (textsOf(name, text).every(isGuarded) ? [] : [name]));
