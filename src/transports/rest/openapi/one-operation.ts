/** Reduces the OpenAPI document to one operation and its components, for a reader who pays for each token. */

import { ApiError } from '../../../kernel/errors.ts';
import type { Json } from './schemas.ts';

type Components = Record<string, Record<string, unknown>>;

const REFERENCE = /"#\/components\/(\w+)\/([\w.-]+)"/g;

/** @throws ApiError invalid_request for an unknown name */
export const oneOperation = (document: Json, name: string): Json => {
  const paths = document.paths as Record<string, Record<string, { operationId: string }>>;
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.operationId === name ? [{ [path]: { [method]: operation } }] : [],
    ),
  )[0];
  if (!found) {
    const hint = `\`operation\`: there is no operation "${name.slice(0, 100)}". /skill.md names the common ones, as send_message; /openapi.json has all.`;
    throw new ApiError('invalid_request', { hint });
  }
  const { securitySchemes, ...rest } = document.components as Components;
  const { webhooks: _, tags: __, ...head } = document;
  const { schemas, ...others } = componentsOf(found, rest);
  const codes = namedCodes(schemas?.ErrorCode as { enum: string[] } | undefined, [found, others]);
  const components = { securitySchemes, ...others, schemas: { ...schemas, ...(codes && { ErrorCode: codes }) } };
  return withoutRefusalExamples({ ...head, paths: found, components });
};

/** The error codes that these parts name, of the list of all. */
const namedCodes = (all: { enum: string[] } | undefined, parts: unknown) => {
  const text = JSON.stringify(parts);
  return all && { ...all, enum: all.enum.filter((code) => text.includes(`"${code}"`)) };
};

/** Leaves out the example of each refusal, which repeats its description. */
const withoutRefusalExamples = (document: Json): Json =>
  JSON.parse(
    JSON.stringify(document, (key, value) =>
      key === 'example' && typeof value?.error === 'string' && typeof value.hint === 'string' ? undefined : value,
    ),
  ) as Json;

/** The components that a part refers to, directly or through others. */
const componentsOf = (part: unknown, all: Components): Components => {
  const used: Components = {};
  const collect = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (used[kind]?.[name] !== undefined || all[kind]?.[name] === undefined) continue;
      used[kind] = { ...used[kind], [name]: all[kind][name] };
      collect(all[kind][name]);
    }
  };
  collect(part);
  return used;
};
