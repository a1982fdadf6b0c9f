/** Bounds a message before the SDK reads it: it recurses into values, and repeats the names of a message. */

/** Far more than any message of the protocol or input of a tool. */
export const MAX_BODY_DEPTH = 100;

export const isTooDeep = (body: unknown): boolean => {
  const waiting: { value: unknown; depth: number }[] = [{ value: body, depth: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_BODY_DEPTH) return true;
    for (const child of Object.values(value)) {
      if (typeof child === 'object' && child !== null) waiting.push({ value: child, depth: depth + 1 });
    }
  }
  return false;
};

/** Characters of a name; a header, which repeats it, has no more. */
export const MAX_NAME = 16 * 1024;

/** Whether what a message calls (a method, a tool, a resource) has a longer name, in any of a batch. */
export const isNameTooLong = (body: unknown): boolean =>
  [body].flat().some((message) => {
    const { method, params } = (message ?? {}) as {
      method?: unknown;
      params?: { name?: unknown; uri?: unknown } | null;
    };
    return [method, params?.name, params?.uri].some((name) => typeof name === 'string' && name.length > MAX_NAME);
  });
