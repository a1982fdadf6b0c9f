/** What the operations say of a path: its methods, and the media types of its body. */

import type { RoutedOperation } from '../../kernel/operation.ts';

/** Whether a request's path belongs to the agents' API. */
export const isApiPath = (url: string): boolean => /^\/(v1|mcp)(\/|\?|$)/.test(url);

/** @returns a function from a path to its methods; none where no operation has that path */
export const createMethodLookup = (
  operations: readonly Pick<RoutedOperation, 'method' | 'path'>[],
): ((path: string) => string[]) => {
  const routes = operations.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
};

type Taking = Pick<RoutedOperation, 'method' | 'path' | 'rawBody' | 'embeds'>;

const formatHint = ({ rawBody, embeds }: Taking): string =>
  'Send `content-type: application/json`' +
  (rawBody ? `, or \`${rawBody.mediaType}\`` : '') +
  (embeds ? `; ${embeds.mediaType} goes into it as \`{ "${embeds.field}": … }\`` : '') +
  '.';

/**
 * @returns a function from a method and a route (`/v1/contacts/:id`) to the hint for a body of a wrong media type;
 * undefined where no operation is there
 */
export const createMediaTypeHint = (
  operations: readonly Taking[],
): ((method: string, route: string) => string | undefined) => {
  const hints = new Map(
    operations.map((each) => [`${each.method} ${each.path.replace(/\{(\w+)\}/g, ':$1')}`, formatHint(each)]),
  );
  return (method, route) => hints.get(`${method} ${route}`);
};
