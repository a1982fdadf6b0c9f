import t from 'tap';
import { z } from 'zod';
import type { Contract } from '../../../src/kernel/operation.ts';
import { contracts } from '../../../src/resources/contracts.ts';

type Schema = z.core.JSONSchema.JSONSchema;

/** Files, which the limit of the body bounds, and the values of headers, which have a refusal of their own. */
const BOUNDED_OTHERWISE = /(?:\.vcard|\.csv|\.content_base64|webhooks\.\w+\.headers\.\*)$/;

/** Texts and lists without a bound of their own; a pattern and a format of fixed length bound a text. */
const findUnbounded = (schema: Schema, path: string): string[] => {
  const { anyOf = [], allOf = [], oneOf = [], properties = {}, additionalProperties: others, items } = schema;
  const types = [schema.type].flat();
  const isFixed = schema.enum ?? schema.const ?? schema.pattern ?? schema.format;
  const isOpen = types.includes('string') && schema.maxLength === undefined && isFixed === undefined;
  return [
    ...(isOpen ? [path] : []),
    ...(types.includes('array') && schema.maxItems === undefined ? [`${path}[]`] : []),
    ...[...anyOf, ...allOf, ...oneOf].flatMap((part) => findUnbounded(part as Schema, path)),
    ...Object.entries(properties).flatMap(([name, part]) => findUnbounded(part as Schema, `${path}.${name}`)),
    ...(typeof others === 'object' ? findUnbounded(others as Schema, `${path}.*`) : []),
    ...(typeof items === 'object' ? findUnbounded(items as Schema, `${path}[]`) : []),
  ];
};

t.test('each text and each list that an operation takes has a bound', async (t) => {
  const found = Object.entries<Contract>(contracts).flatMap(([noun, contract]) =>
    Object.entries(contract).flatMap(([act, { input, persons }]) =>
      [input, ...(persons?.input ? [persons.input] : [])].flatMap((each) =>
        findUnbounded(z.toJSONSchema(each, { io: 'input', unrepresentable: 'any' }), `${noun}.${act}`),
      ),
    ),
  );
  t.same(
    found.filter((path) => !BOUNDED_OTHERWISE.test(path)),
    ['agents.add.handle'],
    'a handle is checked by the service, with the words of a handle',
  );
});
