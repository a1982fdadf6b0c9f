/** Validates the URL of a source. */

import { MAX_URL } from '../documents/links.ts';
import { ApiError } from '../kernel/errors.ts';
import type { CheckedAddresses } from '../net/http/checked-address.ts';

/**
 * A name that does not resolve is accepted: each fetch resolves and checks it again.
 * @param findAddresses resolves a URL's host and checks its addresses
 * @returns the normalised URL, without its fragment
 * @throws ApiError invalid_request, credentials_in_url, private_url_not_allowed
 */
export const requireSourceUrl = async (
  text: string,
  findAddresses: (url: URL) => Promise<CheckedAddresses>,
): Promise<string> => {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ApiError('invalid_request', {
      fault: { field: 'url', rule: 'says', allowed: 'begins with https:// or http://, as https://example.com/docs' },
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new ApiError('credentials_in_url', {
      fault: { field: 'url', rule: 'says', allowed: 'carries credentials; pages are fetched without any' },
    });
  }
  if ((await findAddresses(url)).kind === 'private') throw new ApiError('private_url_not_allowed');
  url.hash = '';
  return url.href;
};
