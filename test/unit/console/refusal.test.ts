/** What the console says of a refusal: words of its own, from the fault as data. */

import t from 'tap';
import { z } from 'zod';
import { toRefusal as refuse } from '../../../src/access/invalid-input.ts';
import { Failure } from '../../../src/console/api/failure.ts';
import { toRefusal } from '../../../src/console/api/refusal.ts';
import { ApiError, type ErrorCode } from '../../../src/kernel/errors.ts';
import { addressInput, handleInput, idInput, timeInput } from '../../../src/kernel/fields.ts';
import { sensitive } from '../../../src/kernel/schema-names.ts';

const input = z.strictObject({
  name: z.string().max(5).optional(),
  tags: z.array(z.string()).max(1).optional(),
  limit: z.int().min(1).optional(),
  match: z.enum(['exact_email', 'domain']).optional(),
  to: z.array(addressInput).optional(),
  id: idInput().optional(),
  at: timeInput.optional(),
  value: sensitive(z.string().max(1)).optional(),
  label: z
    .string()
    .refine((text) => !text.includes('\n'), 'One line, without control characters')
    .optional(),
  given_name: z.string().min(1).optional(),
  rows: z.array(z.strictObject({ file_name: z.string() })).optional(),
});

/** As the console's API gives it (transports/console/operation-calls.ts). */
const failureOf = ({ status, code, hint, fields, fault, isSpecific }: ApiError): Failure =>
  new Failure(status, code, hint, { ...fields, ...fault, ...(isSpecific && { specific: true }) });

const said = (given: Record<string, unknown>) => {
  const { error } = input.safeParse(given);
  if (!error) throw new Error('It was taken.');
  return toRefusal(failureOf(refuse(input, error, given)));
};

t.test('a field that is wrong', async (t) => {
  t.same(said({ name: 'too long' }), { field: 'name', words: 'Give at most 5 characters.' });
  t.same(said({ name: 7 }), { field: 'name', words: 'Give a string.' });
  t.same(said({ tags: ['a', 'b'] }), { field: 'tags', words: 'Give at most 1 entry.' });
  t.same(said({ given_name: '' }), { field: 'given_name', words: 'The given name is missing.' });
  t.same(said({ rows: [{}] }), { field: 'rows.0.file_name', words: 'The file name is missing.' });
  t.same(said({ limit: 0 }), { field: 'limit', words: 'Give at least 1.' });
  t.same(said({ match: 'all' }), { field: 'match', words: 'Give one of exact_email, domain.' });
  t.same(said({ to: ['ann@remote.test', 'nonsense'] }), {
    field: 'to.1',
    words: '“nonsense” is no e-mail address. Write it as a@example.com.',
  });
  t.same(said({ id: 'x' }), { field: 'id', words: 'Give a UUID.' });
  t.match(said({ at: 'tomorrow' }), { field: 'at', words: /^Give an ISO 8601 time with its zone/ });
  t.same(said({ label: 'a\nb' }), { field: 'label', words: 'One line, without control characters.' });
  t.notMatch(said({ value: 'a secret' }).words, 'a secret');
  t.match(said({ nmae: 'x' }).words, /^There is no field nmae; the nearest is name; there are name, tags,/);
});

t.test('what a handler or the code alone says', async (t) => {
  const future = { field: 'send_at', rule: 'says', allowed: 'lies in the future, at most 30 days ahead' } as const;
  const refused = new ApiError('invalid_request', { fault: future });
  t.equal(refused.hint, '`send_at` lies in the future, at most 30 days ahead.');
  t.same(toRefusal(failureOf(refused)), { field: 'send_at', words: 'Lies in the future, at most 30 days ahead.' });
  t.same(toRefusal(failureOf(new ApiError('name_required'))), {
    field: 'given_name',
    words: 'Give a name or a company.',
  });
  t.same(toRefusal(failureOf(new ApiError('invalid_request', { hint: 'Give `value` or `old_value`.' }))), {
    field: null,
    words: 'Give value or old value.',
  });
});

t.test('a hint that says more than its code is shown at the field', async (t) => {
  const own = (code: ErrorCode, hint: string) => toRefusal(failureOf(new ApiError(code, { hint })));
  t.same(own('invalid_template', '{{data.big_x}} is no placeholder.'), {
    field: 'template',
    words: '{{data.big_x}} is no placeholder.',
  });
  t.same(own('reserved_header_name', 'The service itself sets content-type.').field, 'headers');
  t.match(own('reserved_header_name', 'The service itself sets content-type.').words, 'sets content-type');
  t.same(own('invalid_email', 'big_ann@agents.test is an address of this service. An owner has one elsewhere.'), {
    field: 'email',
    words: 'big_ann@agents.test is an address of this service. An owner has one elsewhere.',
  });
  t.match(
    own('name_required', 'Give at least one of `given_name` and `company_name`.').words,
    /given name and company name/,
  );
  const fault = { field: 'url', rule: 'says', allowed: 'carries credentials; pages are fetched without any' } as const;
  t.same(toRefusal(failureOf(new ApiError('credentials_in_url', { fault }))), {
    field: 'url',
    words: 'Carries credentials; pages are fetched without any.',
  });
  const form = {
    field: 'channels.0.value',
    rule: 'form',
    allowed: 'Give an address without a name, as `a@b.c`.',
  } as const;
  const channel = new ApiError('invalid_email', { hint: '`channels.0.value`, not "x": Give …', fault: form });
  t.equal(
    toRefusal(failureOf(channel)).words,
    'Give an address without a name, as a@b.c.',
    'without the name of the field',
  );
  const handle = z.strictObject({ handle: handleInput });
  const { error } = handle.safeParse({ handle: 'postmaster' });
  if (!error) throw new Error('It was taken.');
  const refused = refuse(handle, error, { handle: 'postmaster' });
  t.match(
    toRefusal(failureOf(refused)).words,
    'handle postmaster is reserved',
    'that the name is reserved, not the form of all',
  );
});
