/** An endpoint's secrets and header values, sealed under the vault's key wherever they are kept. */

import { DAY, type Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { WebhookId } from '../kernel/ids.ts';
import { open, seal } from '../seal/envelope.ts';

/** After a rotation the old secret signs beside the new one for so long. */
const ROTATION_OVERLAP_MS: Millis = DAY;
/** Rotations within the overlap; each valid secret is one more signature in every request. */
const MAX_PREVIOUS = 4;

interface Secret {
  text: string;
  /** Null: the one in use. */
  until: Millis | null;
}

export interface WebhookSeal {
  sealSecret(id: WebhookId, secret: string): Buffer;
  /** Puts a new secret before those that are valid. */
  rotate(id: WebhookId, sealed: Buffer, secret: string, now: Millis): { sealed: Buffer; previousUntil: Millis };
  /** Those that are valid, the newest first. */
  openSecrets(id: WebhookId, sealed: Buffer, now: Millis): string[];
  sealHeaders(id: WebhookId, headers: Record<string, string>): Buffer;
  openHeaders(id: WebhookId, sealed: Buffer): Record<string, string>;
}

/** What the seal is bound to, so that one endpoint's secret cannot be put in another's place. */
const secretContext = (id: WebhookId): string => `webhook-secret:${id}`;
const headerContext = (id: WebhookId): string => `webhook-headers:${id}`;

/** @param vaultKey null where the key file is missing: each call is then refused with `vault_unavailable` */
export const createWebhookSeal = (vaultKey: Buffer | null): WebhookSeal => {
  const requireKey = (): Buffer => {
    if (!vaultKey) throw new ApiError('vault_unavailable');
    return vaultKey;
  };
  const sealJson = (value: unknown, context: string): Buffer =>
    seal(requireKey(), Buffer.from(JSON.stringify(value)), context);
  const openJson = (sealed: Buffer, context: string): unknown => {
    const opened = open(requireKey(), sealed, context);
    if (!opened) throw new Error(`${context} does not open with the vault's key.`);
    return JSON.parse(opened.toString());
  };
  const validSecrets = (id: WebhookId, sealed: Buffer, now: Millis): Secret[] =>
    (openJson(sealed, secretContext(id)) as Secret[]).filter(({ until }) => until === null || until > now);
  return {
    sealSecret: (id, text) => sealJson([{ text, until: null }] satisfies Secret[], secretContext(id)),
    rotate: (id, sealed, text, now) => {
      const previousUntil = now + ROTATION_OVERLAP_MS;
      const previous = validSecrets(id, sealed, now).map((each) => ({ ...each, until: each.until ?? previousUntil }));
      const all: Secret[] = [{ text, until: null }, ...previous.slice(0, MAX_PREVIOUS)];
      return { sealed: sealJson(all, secretContext(id)), previousUntil };
    },
    openSecrets: (id, sealed, now) => validSecrets(id, sealed, now).map(({ text }) => text),
    sealHeaders: (id, headers) => sealJson(headers, headerContext(id)),
    openHeaders: (id, sealed) => openJson(sealed, headerContext(id)) as Record<string, string>,
  };
};
