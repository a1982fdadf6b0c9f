/** Seals and opens an endpoint's secrets and header values, under the vault's key. */

import { DAY, type Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { WebhookId } from '../kernel/ids.ts';
import { open, seal } from '../seal/envelope.ts';

/** After a rotation the previous secret signs beside the new one for 24 hours. */
const ROTATION_OVERLAP_MS: Millis = DAY;
/** Previous secrets that stay valid; each is one more signature in every request. */
const MAX_PREVIOUS = 4;

interface Secret {
  text: string;
  /** Null: the current one. */
  until: Millis | null;
}

export interface WebhookSeal {
  sealSecret(id: WebhookId, secret: string): Buffer;
  /** Adds a new secret before the valid ones. */
  rotate(id: WebhookId, sealed: Buffer, secret: string, now: Millis): { sealed: Buffer; previousUntil: Millis };
  /** The valid ones, newest first. */
  openSecrets(id: WebhookId, sealed: Buffer, now: Millis): string[];
  sealHeaders(id: WebhookId, headers: Record<string, string>): Buffer;
  openHeaders(id: WebhookId, sealed: Buffer): Record<string, string>;
}

/** The seal's context: a secret sealed for one endpoint does not open for another. */
export const webhookSecretContext = (id: WebhookId): string => `webhook-secret:${id}`;
export const webhookHeaderContext = (id: WebhookId): string => `webhook-headers:${id}`;

/** @param vaultKey null where the key file is missing: every call throws `vault_unavailable` */
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
    (openJson(sealed, webhookSecretContext(id)) as Secret[]).filter(({ until }) => until === null || until > now);
  return {
    sealSecret: (id, text) => sealJson([{ text, until: null }] satisfies Secret[], webhookSecretContext(id)),
    rotate: (id, sealed, text, now) => {
      const previousUntil = now + ROTATION_OVERLAP_MS;
      const previous = validSecrets(id, sealed, now).map((each) => ({ ...each, until: each.until ?? previousUntil }));
      const all: Secret[] = [{ text, until: null }, ...previous.slice(0, MAX_PREVIOUS)];
      return { sealed: sealJson(all, webhookSecretContext(id)), previousUntil };
    },
    openSecrets: (id, sealed, now) => validSecrets(id, sealed, now).map(({ text }) => text),
    sealHeaders: (id, headers) => sealJson(headers, webhookHeaderContext(id)),
    openHeaders: (id, sealed) => openJson(sealed, webhookHeaderContext(id)) as Record<string, string>,
  };
};
