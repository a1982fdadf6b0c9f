/** Validates the request headers that an endpoint's configuration adds. */

import { ApiError } from '../kernel/errors.ts';

const MAX_HEADERS = 20;
const MAX_VALUE = 4096;
/** A token of RFC 9110 section 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
/** RFC 9110 section 5.5: no control characters but tab, so that a value cannot end its line. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers of the request itself, some of which the HTTP client refuses to send, and of the signature. */
const RESERVED = new Set(
  'content-type content-length host connection keep-alive transfer-encoding upgrade expect te trailer x-request-id'.split(
    ' ',
  ),
);
const RESERVED_PREFIXES = ['x-svc-', 'x-webhook-', 'webhook-'];

const isReserved = (name: string): boolean =>
  RESERVED.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));

/** @throws ApiError too_many_headers, invalid_header_name, reserved_header_name, invalid_header_value */
export const requireHeaders = (headers: Readonly<Record<string, unknown>>): Record<string, string> => {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw new ApiError('too_many_headers');
  const seen = new Set<string>();
  return Object.fromEntries(
    entries.map(([name, value]): [string, string] => {
      const lower = name.toLowerCase();
      if (!NAME.test(name) || seen.has(lower)) throw new ApiError('invalid_header_name');
      if (isReserved(lower)) throw new ApiError('reserved_header_name', { hint: `The service itself sets ${lower}.` });
      if (typeof value !== 'string' || value.length > MAX_VALUE || !VALUE.test(value)) {
        throw new ApiError('invalid_header_value', { hint: `The value of ${lower} is no header value.` });
      }
      seen.add(lower);
      return [name, value];
    }),
  );
};
