/** The fields of a secret's value, by type, in the vault's form. */

import type { Answer } from '../api/client.ts';

export type Secret = Answer<'secrets', 'list'>['secrets'][number];
export type SecretType = Secret['type'];

interface Part {
  name: string;
  label: string;
  isRequired: boolean;
  /** Whether it is a secret itself, and not the name of an account. */
  isHidden: boolean;
  isLong?: boolean;
  hint?: string;
}

const part = (name: string, label: string, more: Partial<Part> = {}): Part => ({
  name,
  label,
  isRequired: true,
  isHidden: true,
  ...more,
});

export const TYPES: Readonly<Record<SecretType, { label: string; parts: readonly Part[] }>> = {
  login: {
    label: 'login',
    parts: [
      part('username', 'Username', { isHidden: false }),
      part('password', 'Password'),
      part('totp_seed', 'One-time code', {
        isRequired: false,
        hint: 'The base32 text, or the otpauth:// address, that the site shows once. It may be left out.',
      }),
    ],
  },
  api_key: {
    label: 'API key',
    parts: [part('key', 'Key'), part('endpoint', 'Endpoint', { isRequired: false, isHidden: false })],
  },
  key_pair: {
    label: 'key pair',
    parts: [
      part('access_key', 'Access key', { isHidden: false }),
      part('secret_key', 'Secret key'),
      part('endpoint', 'Endpoint', { isRequired: false, isHidden: false }),
    ],
  },
  ssh_key: {
    label: 'SSH key',
    parts: [
      part('private_key', 'Private key', { isLong: true }),
      part('public_key', 'Public key', { isRequired: false, isHidden: false, isLong: true }),
      part('passphrase', 'Passphrase', { isRequired: false }),
    ],
  },
  other: { label: 'other', parts: [part('data', 'Data', { isLong: true })] },
};

export const typeWords = ({ type, has_totp }: Secret): string =>
  has_totp ? `${TYPES[type].label}, one-time code` : TYPES[type].label;

export const readTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];
