/** Validates the URL of an endpoint. */

import { ApiError } from '../kernel/errors.ts';
import type { CheckedAddresses } from '../net/http/checked-address.ts';

const MAX_URL = 2048;
/** Query keys with secret values: URLs appear in logs. */
const SECRET_KEYS = new Set('token access_token key api_key apikey secret password sig signature'.split(' '));

/** Resolves a URL's host and checks its addresses. */
export type FindAddresses = (url: URL) => Promise<CheckedAddresses>;

/**
 * A name that does not resolve is accepted: each attempt resolves and checks it again.
 * @returns the normalised URL
 * @throws ApiError https_url_required, credentials_in_url, private_url_not_allowed
 */
export const requireWebhookUrl = async (text: string, findAddresses: FindAddresses): Promise<string> => {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:') throw new ApiError('https_url_required');
  const isSecret = [...url.searchParams.keys()].some((key) => SECRET_KEYS.has(key.toLowerCase()));
  if (url.username !== '' || url.password !== '' || isSecret) throw new ApiError('credentials_in_url');
  if ((await findAddresses(url)).kind === 'private') throw new ApiError('private_url_not_allowed');
  return url.href;
};
