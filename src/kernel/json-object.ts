/** Objects of JSON, told from its lists and from null, which are objects to JavaScript too. */

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
