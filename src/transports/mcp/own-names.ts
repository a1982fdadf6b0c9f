/**
 * Which requests come from where they may: a page of another site must not reach an agent's tools through the browser
 * of somebody on its network, by its own name (Origin) or by a name whose address it changed (Host, DNS rebinding).
 */

import { ApiError } from '../../kernel/errors.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** @param names host names the service goes by, without a port */
export const createOwnNames = (names: readonly string[]) => {
  const own = new Set([...names.map((name) => name.toLowerCase()), ...LOOPBACK]);
  const isOwn = (url: string): boolean => URL.canParse(url) && own.has(new URL(url).hostname.toLowerCase());
  /** @throws ApiError origin_not_allowed */
  return ({ host, origin }: { host?: string | undefined; origin?: string | undefined }): void => {
    // Programs send no Origin; what cannot be read is nobody's name.
    const isAllowed = host !== undefined && isOwn(`http://${host}`) && (origin === undefined || isOwn(origin));
    if (!isAllowed) throw new ApiError('origin_not_allowed');
  };
};
