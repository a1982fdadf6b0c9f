/** Finds the methods of a path, by the operations. */

import type { RoutedOperation } from '../../kernel/operation.ts';

/** Whether a request's path belongs to the agents' API. */
export const isApiPath = (url: string): boolean => /^\/(v1|mcp)(\/|\?|$)/.test(url);

/** @returns a function from a path to its methods; none where no operation has that path */
export const createMethodLookup = (
  operations: readonly Pick<RoutedOperation, 'method' | 'path'>[],
): ((path: string) => string[]) => {
  const routes = operations.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
  return (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
};
