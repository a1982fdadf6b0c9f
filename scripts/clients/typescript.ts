/** src/client/operations.ts of the package: types and routes as they stand, without the daemon's contracts. */

import { type Contract, isPublic, isRouted } from '../../src/kernel/operation.ts';
import { contracts } from '../../src/resources/contracts.ts';
import { type ClientDocument, type ClientOperation, nameOfReference, reachableFrom, type Schema } from './document.ts';

const PRELUDE = `/** Made from the OpenAPI document. */

import type { Route } from './call.ts';

export interface BytesReply {
  contentType: string;
  filename: string;
  content: Uint8Array;
}
`;

const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`;

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const toProperty = (name: string, schema: Schema, isRequired: boolean): string => {
  const type = isRequired ? toType(schema) : union([toType(schema), 'undefined']);
  return `${comment(schema.description)}${JSON.stringify(name)}${isRequired ? '' : '?'}: ${type};\n`;
};

const toObject = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
  const known = Object.entries(properties).map(([name, each]) => toProperty(name, each, required.includes(name)));
  const isOpen = typeof additionalProperties === 'object';
  if (known.length === 0) return isOpen ? `Record<string, ${toType(additionalProperties)}>` : 'Record<never, never>';
  return `{\n${known.join('')}${isOpen ? '[name: string]: unknown;\n' : ''}}`;
};

const toType = (schema: Schema): string => {
  const { $ref, type, items = {} } = schema;
  if ($ref !== undefined) return nameOfReference($ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((each) => JSON.stringify(each)));
  if (schema.anyOf) return union(schema.anyOf.map(toType));
  if (Array.isArray(type)) return union(type.map((each) => toType({ ...schema, type: each })));
  if (type === 'array') return `Array<${toType(items)}>`;
  if (type === 'object') return toObject(schema);
  if (type === 'integer') return 'number';
  return type ?? 'unknown';
};

const toTypes = ({ fields, reply }: ClientOperation): string => {
  const properties = fields.map(({ name, schema, isRequired }) => toProperty(name, schema, isRequired)).join('');
  const input = properties === '' ? 'Record<never, never>' : `{\n${properties}}`;
  return `{\ninput: ${input};\noutput: ${reply ? toType(reply) : 'BytesReply'};\n}`;
};

const toRoute = ({ method, path, hasBody, isIdempotent, fields, reply }: ClientOperation) => {
  const query = hasBody ? fields.filter(({ place }) => place === 'query').map(({ name }) => name) : [];
  return { method, path, query, hasBody, isIdempotent, isBytes: reply === null };
};

export const toTypeScript = ({ operations, schemas, events }: ClientDocument): string => {
  const find = (name: string): ClientOperation => {
    const found = operations.find((each) => each.name === name);
    if (!found) throw new Error(`The document has no ${name}.`);
    return found;
  };
  const signUp = find(contracts.signup.signUp.name);
  const resources = Object.entries<Contract>(contracts)
    .map(([resource, contract]) => ({
      resource,
      calls: Object.entries(contract).flatMap(([call, each]) =>
        isRouted(each) && !isPublic(each) ? [{ call, operation: find(each.name) }] : [],
      ),
    }))
    .filter(({ calls }) => calls.length > 0);
  const used = reachableFrom([operations.map(({ fields, reply }) => [fields, reply]), events], schemas);
  const types = Object.entries(used).map(([name, schema]) => `export type ${name} = ${toType(schema)};\n`);
  const data = Object.entries(events).map(([name, schema]) => `${JSON.stringify(name)}: ${toType(schema)};\n`);
  const perResource = resources.map(({ resource, calls }) => {
    const each = calls.map(({ call, operation }) => `${comment(operation.summary)}${call}: ${toTypes(operation)};\n`);
    return `${resource}: {\n${each.join('')}};\n`;
  });
  const routes = Object.fromEntries(
    resources.map(({ resource, calls }) => [
      resource,
      Object.fromEntries(calls.map(({ call, operation }) => [call, toRoute(operation)])),
    ]),
  );
  return [
    PRELUDE,
    ...types,
    `export interface EventData {\n${data.join('')}}\n`,
    `export interface Operations {\n${perResource.join('')}}\n`,
    `export interface SignUp ${toTypes(signUp)}\n`,
    `export const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = ${JSON.stringify(routes, null, 1)};\n`,
    `export const signUpRoute: Route = ${JSON.stringify(toRoute(signUp))};\n`,
  ].join('\n');
};
