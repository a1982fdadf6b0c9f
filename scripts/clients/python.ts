/** The generated module of the Python client: a TypedDict for each schema, a method for each operation. */

import {
  type ClientDocument,
  type ClientOperation,
  type Field,
  nameOfReference,
  reachableFrom,
  type Schema,
} from './document.ts';

const PRELUDE = `"""Made from the OpenAPI document."""

from typing import Any, Literal, NotRequired, TypedDict, TypeAlias, overload

from .call import OMIT, Connection, File, quote
`;

/** Those that a field or a resource of ours could be named; `_` follows them. */
const KEYWORDS = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

const pascal = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const toArgument = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);
const toLiteral = (value: unknown): string =>
  value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** Objects within others have names of their own, by where they stand: `MessageDeliveriesItem`. */
type Nested = Map<string, Schema>;

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

const toType = (schema: Schema, place: string, nested: Nested): string => {
  const { $ref, type, items = {}, properties, additionalProperties } = schema;
  if ($ref !== undefined) return nameOfReference($ref);
  if (schema.const !== undefined) return `Literal[${toLiteral(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map(toLiteral).join(', ')}]`;
  if (schema.anyOf) return union(schema.anyOf.map((each, at) => toType(each, `${place}${at || ''}`, nested)));
  if (Array.isArray(type)) return union(type.map((each) => toType({ ...schema, type: each }, place, nested)));
  if (type === 'array') return `list[${toType(items, `${place}Item`, nested)}]`;
  if (type === 'object' && properties === undefined) {
    const values = typeof additionalProperties === 'object' ? additionalProperties : {};
    return `dict[str, ${toType(values, `${place}Value`, nested)}]`;
  }
  if (type === 'object') {
    if (nested.has(place)) throw new Error(`Two schemas would be named ${place}.`);
    nested.set(place, schema);
    return place;
  }
  return SCALARS[type ?? ''] ?? 'Any';
};

const toTypedDict = (name: string, { properties = {}, required = [] }: Schema, nested: Nested): string => {
  const fields = Object.entries(properties).map(([key, schema]) => {
    const type = toType(schema, `${name}${pascal(key)}`, nested);
    return `    ${JSON.stringify(key)}: ${JSON.stringify(required.includes(key) ? type : `NotRequired[${type}]`)},\n`;
  });
  return `${name} = TypedDict(${JSON.stringify(name)}, {\n${fields.join('')}})\n`;
};

const toDefinition = (name: string, schema: Schema, nested: Nested): string =>
  schema.type === 'object' && schema.properties
    ? toTypedDict(name, schema, nested)
    : `${name}: TypeAlias = ${JSON.stringify(toType(schema, `${name}Part`, nested))}\n`;

/** What an operation answers with where a flag of its own is true: a dry run. */
const findFlagged = ({ fields, reply }: ClientOperation, schemas: Record<string, Schema>) => {
  const resolve = (schema: Schema): Schema => (schema.$ref ? (schemas[nameOfReference(schema.$ref)] ?? {}) : schema);
  const replies = reply === null ? [] : (resolve(reply).anyOf ?? []);
  for (const each of replies) {
    const flag = fields.find(({ name }) => resolve(each).properties?.[name]?.const === true);
    if (flag) return { flag: flag.name, flagged: each, usual: { anyOf: replies.filter((other) => other !== each) } };
  }
  return null;
};

const toMethod = (operation: ClientOperation, schemas: Record<string, Schema>, nested: Nested): string => {
  const { name, summary, method, path, hasBody, isIdempotent, fields, reply } = operation;
  const typeOf = ({ name: field, schema }: Field) => toType(schema, `${pascal(name)}${pascal(field)}`, nested);
  const types = new Map(fields.map((field) => [field.name, typeOf(field)]));
  const toParameter = ({ name: field, isRequired }: Field, only?: string): string =>
    `${toArgument(field)}: ${only ?? types.get(field)}${isRequired || only === 'Literal[True]' ? '' : ' = OMIT'}`;
  const sign = (answer: string, flag?: string, only?: string): string => {
    const parameters = fields.map((field) => toParameter(field, field.name === flag ? only : undefined));
    if (isIdempotent) parameters.push('idempotency_key: str | None = None');
    const all = parameters.length > 0 ? `, *, ${parameters.join(', ')}` : '';
    return `    def ${name}(self${all}) -> ${answer}:`;
  };
  const answers = (schema: Schema | null) => (schema ? toType(schema, `${pascal(name)}Answer`, nested) : 'File');
  const split = findFlagged(operation, schemas);
  const overloads = split && [
    '    @overload',
    `${sign(answers(split.flagged), split.flag, 'Literal[True]')} ...`,
    '    @overload',
    `${sign(answers(split.usual), split.flag, 'Literal[False]')} ...`,
  ];
  const of = (place: Field['place']) => fields.filter((field) => field.place === place);
  const toDict = (given: Field[]) => `{${given.map((each) => `"${each.name}": ${toArgument(each.name)}`).join(', ')}}`;
  const target = path.replace(/\{(\w+)\}/g, (_, field: string) => `{quote(${toArgument(field)})}`);
  const options = [
    ...(isIdempotent ? ['idempotency_key=idempotency_key', 'is_idempotent=True'] : []),
    ...(reply === null ? ['is_bytes=True'] : []),
  ];
  const call = [`"${method}"`, `f"${target}"`, toDict(of('query')), hasBody ? toDict(of('body')) : 'None', ...options];
  return [
    ...(overloads ?? []),
    sign(split ? 'Any' : answers(reply)),
    `        """${summary.replaceAll('"""', "'''")}"""`,
    `        answer${split ? '' : `: ${answers(reply)}`} = self._call(${call.join(', ')})`,
    '        return answer',
    '',
  ].join('\n');
};

export const toPython = ({ operations, schemas }: ClientDocument): string => {
  const nested: Nested = new Map();
  const used = reachableFrom(
    operations.map(({ fields, reply }) => [fields, reply]),
    schemas,
  );
  const methods = operations.map((operation) => toMethod(operation, schemas, nested));
  const definitions = Object.entries(used).map(([name, schema]) => toDefinition(name, schema, nested));
  // What is named while it is written may hold further ones.
  for (const [name, schema] of nested) definitions.push(toTypedDict(name, schema, nested));
  return [PRELUDE, ...definitions, '\nclass Operations(Connection):', ...methods].join('\n');
};
