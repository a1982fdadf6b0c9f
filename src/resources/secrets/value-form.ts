/** Validates a secret's value by its type. A refusal does not repeat the value. */

import { ApiError } from '../../kernel/errors.ts';
import type { SecretType } from '../../store/vault/secrets.ts';
import { type SecretValue, TOTP_FIELD } from '../../vault/secret-value.ts';
import { isTotpSeed } from '../../vault/totp.ts';

const FORMS: Readonly<Record<SecretType, { required: readonly string[]; optional: readonly string[] }>> = {
  login: { required: ['username', 'password'], optional: [TOTP_FIELD] },
  api_key: { required: ['key'], optional: ['endpoint'] },
  key_pair: { required: ['access_key', 'secret_key'], optional: ['endpoint'] },
  ssh_key: { required: ['private_key'], optional: ['public_key', 'passphrase'] },
  other: { required: ['data'], optional: [] },
};

/** Characters of all fields. */
const MAX_CHARS = 65_536;

const formText = (type: SecretType): string => {
  const { required, optional } = FORMS[type];
  const rest = optional.length > 0 ? `, and may have ${optional.join(', ')}` : '';
  return `The value of a secret of type ${type} has ${required.join(', ')}${rest}; each is a text.`;
};

/** @throws ApiError invalid_request */
export const requireForm = (type: SecretType, value: SecretValue): void => {
  const { required, optional } = FORMS[type];
  const names = Object.keys(value);
  const isWhole = required.every((name) => names.includes(name));
  if (!isWhole || !names.every((name) => required.includes(name) || optional.includes(name))) {
    throw new ApiError('invalid_request', { hint: formText(type) });
  }
  if (Object.values(value).reduce((sum, text) => sum + text.length, 0) > MAX_CHARS) {
    throw new ApiError('invalid_request', { hint: `A value has at most ${MAX_CHARS} characters.` });
  }
  const seed = value[TOTP_FIELD];
  if (seed !== undefined && !isTotpSeed(seed)) {
    throw new ApiError('invalid_request', {
      fault: { field: `value.${TOTP_FIELD}`, rule: 'hidden' },
      hint: `\`${TOTP_FIELD}\` is base32, or an otpauth://totp/ URI with SHA1, SHA256 or SHA512, 6 to 10 digits and a period up to an hour.`,
    });
  }
};
