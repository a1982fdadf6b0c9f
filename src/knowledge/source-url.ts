/** Validates the URL of a source. */

import { MAX_URL } from '../documents/links.ts';
import { ApiError, wrongField } from '../kernel/errors.ts';
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
    throw wrongField('url', 'begins with https:// or http://, as https://example.com/docs');
  }
  if (url.username !== '' || url.password !== '') {
    throw wrongField('url', 'carries credentials; pages are fetched without any', 'credentials_in_url');
  }
  if ((await findAddresses(url)).kind === 'private') throw new ApiError('private_url_not_allowed');
  url.hash = '';
  return url.href;
};
