/** The hint for a body of a wrong media type: lists the types that the operation accepts. */

import type { RoutedOperation } from '../../kernel/operation.ts';

type Taking = Pick<RoutedOperation, 'method' | 'path' | 'rawBody' | 'embeds'>;

const formatHint = ({ rawBody, embeds }: Taking): string =>
  'Send `content-type: application/json`' +
  (rawBody ? `, or \`${rawBody.mediaType}\`` : '') +
  (embeds ? `; ${embeds.mediaType} goes into it as \`{ "${embeds.field}": … }\`` : '') +
  '.';

/** @returns a function from a method and a route (`/v1/contacts/:id`) to the hint; undefined where no operation is there */
export const createMediaTypeHint = (
  operations: readonly Taking[],
): ((method: string, route: string) => string | undefined) => {
  const hints = new Map(
    operations.map((each) => [`${each.method} ${each.path.replace(/\{(\w+)\}/g, ':$1')}`, formatHint(each)]),
  );
  return (method, route) => hints.get(`${method} ${route}`);
};
