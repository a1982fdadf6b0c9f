/**
 * Checks the origin of requests. Another site's page must not reach an agent's tools through a browser on its network:
 * neither by its own name (Origin) nor by a rebound name (Host, DNS rebinding).
 */

import { isIP } from 'node:net';
import { ApiError } from '../../kernel/errors.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Browsers state it for an extension, and desktop programs for theirs (`chrome-extension://…`); no site's page has it. */
const ofProgram = /^(?!https?:)[a-z][a-z\d+.-]*:\/\//i;

/** @param names the service's host names, without a port */
export const createOwnNames = (names: readonly string[]) => {
  const own = new Set([...names.map((name) => name.toLowerCase()), ...LOOPBACK]);
  const nameIn = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname.toLowerCase() : null);
  const isOwn = (name: string | null): boolean => name !== null && own.has(name);
  /** A proxy may put the service's address in Host; no DNS rebinding reaches an address. */
  const isAddress = (name: string | null): boolean => name !== null && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  /** @throws ApiError origin_not_allowed */
  return ({ host, origin }: { host?: string | undefined; origin?: string | undefined }): void => {
    const name = host === undefined ? null : nameIn(`http://${host}`);
    // Programs send no Origin.
    const isAllowed =
      (isOwn(name) || isAddress(name)) && (origin === undefined || ofProgram.test(origin) || isOwn(nameIn(origin)));
    if (!isAllowed) throw new ApiError('origin_not_allowed');
  };
};
