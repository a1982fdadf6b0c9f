/** Bounds the nesting of a JSON body: `JSON.stringify` recurses, and of a deep one would exceed the stack. */

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
