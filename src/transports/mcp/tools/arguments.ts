/** Converts a tool's arguments to the operation's input: the same fields under different names. */

import { ApiError } from '../../../kernel/errors.ts';
import { isRouted, type Operation } from '../../../kernel/operation.ts';
import { describeUnknown, type FaultNames } from '../../../kernel/text/fault-words.ts';
import { hasTooManyValues } from '../../http/json-values.ts';
import { isTooDeep } from '../body-bounds.ts';
import { type JsonSchema, type ObjectSchema, toInputSchema } from './tool-schema.ts';

/** An argument, with its name in the operation. */
interface Argument {
  tool: string;
  field: string;
}

/** The arguments of one call. */
export interface ReadArguments {
  input: Record<string, unknown>;
  idempotencyKey: string | null;
  /** Whether the answer includes details. */
  isDetailed: boolean;
}

export interface ToolArguments {
  schema: ObjectSchema;
  /** @throws ApiError invalid_request for an unknown argument */
  read(given: Record<string, unknown>): ReadArguments;
  /** Fields by the names of their arguments. */
  names: FaultNames;
}

const DETAIL = 'detail';
const detailArgument: JsonSchema = { type: 'boolean' };
const IDEMPOTENCY_KEY = 'idempotency_key';
const idempotencyArgument: JsonSchema = {
  type: 'string',
  description: 'A repeat within 24 h sends nothing',
};

/** What clients add to a model's arguments: n8n its `toolCallId`, others a `_meta`. No argument of a tool is so written. */
const isOfClient = /^_|^toolCallId$/;

/** A tool's page: each row costs its reader tokens. */
const SMALL_PAGE = 10;

export const toArguments = (operation: Operation): ToolArguments => {
  const own = withoutFields(toInputSchema(operation), operation.tool?.without ?? []);
  const fields = Object.keys(own.properties);
  const byField = new Map(fields.map((field) => [field, { field, tool: toToolName(operation, field) }]));
  const byTool = new Map([...byField.values()].map((argument) => [argument.tool, argument]));
  const defaults = readDefaults(operation, own);
  const hasKey = operation.idempotent === true;
  const hasDetail = operation.tool?.detail === true;
  const schema = toSchema(own, [...byField.values()], defaults, {
    ...(hasDetail && { [DETAIL]: detailArgument }),
    ...(hasKey && { [IDEMPOTENCY_KEY]: idempotencyArgument }),
  });
  const required = new Set((schema.required ?? []) as string[]);
  // A change may set a text to nothing.
  const isChange = isRouted(operation) && operation.method === 'PATCH';
  return {
    schema,
    read: (given) => {
      const input: Record<string, unknown> = { ...defaults };
      let idempotencyKey: string | null = null;
      let isDetailed = false;
      for (const [name, written] of Object.entries(given)) {
        // The field's name in REST is accepted as well.
        const argument = byTool.get(name) ?? byField.get(name);
        const known = argument?.tool ?? name;
        // Models of OpenAI, Qwen and others write so an argument that they leave out.
        if (written === '' && !isChange && known in schema.properties && !required.has(known)) continue;
        const value =
          argument?.field === 'body' ? readBody(written) : readWritten(written, schema.properties[known]?.type);
        if (argument && name !== argument.tool && argument.tool in given) throw twice(argument);
        if (argument) input[argument.field] = value;
        else if (hasKey && name === IDEMPOTENCY_KEY) idempotencyKey = keyIn(value);
        else if (hasDetail && name === DETAIL) isDetailed = flagIn(value);
        else if (!isOfClient.test(name)) refuseUnknown(name, Object.keys(schema.properties));
      }
      return { input, idempotencyKey, isDetailed };
    },
    names: { noun: 'argument', nameOf: (field) => byField.get(field)?.tool ?? field },
  };
};

const withoutFields = (schema: ObjectSchema, names: readonly string[]): ObjectSchema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.includes(name))),
});

const invalid = (hint: string) => new ApiError('invalid_request', { hint });
/** Clients fill in something, as `random_string`, where a tool takes no arguments: nothing is lost there. */
const refuseUnknown = (name: string, known: readonly string[]): void => {
  if (known.length > 0) throw invalid(describeUnknown('argument', [name], known));
};
const twice = ({ tool, field }: Argument) => invalid(`Say \`${tool}\` alone, not \`${field}\` beside it.`);

/** Claude Code and other clients write lists, objects, numbers and booleans as strings with JSON in them. */
const readWritten = (value: unknown, type: JsonSchema['type']): unknown => {
  if (typeof value !== 'string' || type === undefined || [type].flat().includes('string')) return value;
  if (hasTooManyValues(Buffer.from(value))) return value;
  try {
    const read: unknown = JSON.parse(value);
    return isTooDeep(read) ? value : read;
  } catch {
    return value;
  }
};

/**
 * Models write a text of several lines on one, with `\n\n` spelled out, and it would be mailed so. A text with a line end
 * of its own is as it was meant.
 */
const readBody = (value: unknown): unknown =>
  typeof value === 'string' && !value.includes('\n') && /(?:\\r)?\\n(?:\\r)?\\n/.test(value)
    ? value.replace(/(?:\\r)?\\n/g, '\n').replaceAll('\\"', '"')
    : value;

/** Null counts as left out, as in a field. */
const keyIn = (value: unknown): string | null => {
  if (value === null || typeof value === 'string') return value;
  throw invalid(`\`${IDEMPOTENCY_KEY}\` is a string.`);
};

const flagIn = (value: unknown): boolean => {
  if (value === null || typeof value === 'boolean') return value === true;
  throw invalid(`\`${DETAIL}\` is true or false.`);
};

const toSchema = (
  own: ObjectSchema,
  all: Argument[],
  defaults: Record<string, unknown>,
  more: Record<string, JsonSchema>,
) => {
  const required = ((own.required ?? []) as string[]).map((field) => all.find((each) => each.field === field)?.tool);
  return {
    ...own,
    properties: {
      ...Object.fromEntries(
        all.map(({ tool, field }) => [
          tool,
          { ...own.properties[field], ...(field in defaults && { default: defaults[field] }) },
        ]),
      ),
      ...more,
    },
    ...(required.length > 0 && { required }),
  };
};

const readDefaults = ({ tool }: Operation, { properties }: ObjectSchema): Record<string, unknown> => {
  const page = properties.limit?.default;
  return {
    ...(typeof page === 'number' && page > SMALL_PAGE && { limit: SMALL_PAGE }),
    ...tool?.defaults,
  };
};

/** `id` gets the name of its resource from the path: `/v1/messages/{id}/archive` and `/v1/webhooks?id=` alike. */
const toToolName = (operation: Operation, field: string): string => {
  const renamed = operation.tool?.rename?.[field];
  if (renamed !== undefined) return renamed;
  return field === 'id' && isRouted(operation) ? `${toThing(operation.path)}_id` : field;
};

const toThing = (path: string): string => {
  const segments = path.replace(/\/\{id\}.*$/, '').split('/');
  return (segments.at(-1) ?? '').replace(/s$/, '').replaceAll('-', '_');
};
