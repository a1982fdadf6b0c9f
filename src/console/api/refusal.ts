/** A refusal in the console's words, and the form field that it concerns. */

import type { Fault } from '../../kernel/text/fault-words.ts';
import type { Failure } from './failure.ts';

export interface Refusal {
  /** The service's name, such as `channels.0.value`; null where no single field is concerned. */
  field: string | null;
  words: string;
}

/** Fields of error codes for which the service names none. */
const FIELDS: Readonly<Record<string, string>> = {
  invalid_handle: 'handle',
  handle_taken: 'handle',
  handle_required: 'handle',
  invalid_email: 'email',
  owner_exists: 'email',
  fact_required: 'fact',
  name_required: 'given_name',
  invalid_domain: 'domain',
  domain_taken: 'domain',
  unknown_domain: 'domain',
  invalid_value: 'value',
  https_url_required: 'url',
  private_url_not_allowed: 'url',
  credentials_in_url: 'url',
  reserved_header_name: 'headers',
  invalid_header_name: 'headers',
  invalid_header_value: 'headers',
  too_many_headers: 'headers',
  invalid_template: 'template',
  template_too_large: 'template',
  list_name_taken: 'name',
  secret_exists: 'name',
  body_required: 'body',
  events_required: 'events',
};

/** The console's sentences for hints that speak of requests. */
const SENTENCES: Readonly<Record<string, string>> = {
  invalid_value: 'This is neither an e-mail address nor a domain. Write a@example.com or example.com.',
  https_url_required: 'Give an address that begins with https://.',
  private_url_not_allowed: 'This leads to a private or loopback address. Give one that is publicly reachable.',
  credentials_in_url: 'The address carries a user name or password, which end up in logs. Send them as a header.',
  reserved_header_name: 'A header of that name is set by Postroom itself. Choose another name.',
  invalid_template:
    'The body is not a JSON object, or has another placeholder than {{event}}, {{timestamp}}, {{id}} and {{data.…}}.',
  name_required: 'Give a name or a company.',
  fact_required: 'Write the fact.',
  handle_required: 'Give a handle.',
  not_signed_in: 'You are signed out. Sign in in another tab, then try again.',
};

/** The same, by field where that is clearer than the code. */
const OF_FIELDS: Readonly<Record<string, string>> = {
  'value.totp_seed': 'This is neither base32 text nor an otpauth://totp/ address. Copy it as the site shows it.',
};

/** One, and several. */
const UNITS = { character: [' character', ' characters'], entry: [' entry', ' entries'] } as const;

/** An address, a host or a URL stays as it is. */
const upper = (text: string): string =>
  text.replace(/^\p{Ll}(?=\p{L}*[\s,;.!?]*(?:\s|$))/u, (first) => first.toUpperCase());

/** Removes field names and marks, which concern requests. */
const plain = (text: string): string =>
  upper(
    text
      .replaceAll('`', '')
      .replaceAll(/(?<![\w.@/-])[a-z]+(?:_[a-z]+)+(?![\w@/-]|\.\w)/g, (name) => name.replaceAll('_', ' ')),
  );

/** The last name of a path that is no index: `value` of `channels.0.value`. */
const nameOf = (field: string): string =>
  field
    .split('.')
    .findLast((name) => /\D/.test(name))
    ?.replaceAll('_', ' ') ?? 'field';

const sentenceOf = ({ code, hint, fields }: Failure): string => {
  const { field, rule, given, allowed, unit, specific } = fields as Partial<Fault> & { specific?: true };
  if (rule === 'says') return `${plain(String(allowed).replace(/^: /, ''))}.`;
  if (specific) return plain(rule === 'form' && typeof allowed === 'string' ? allowed : hint);
  const isText = typeof given === 'string' && given !== '';
  const isAddress = typeof allowed === 'string' && /e-mail address/i.test(allowed);
  if (code === 'invalid_email' || (isAddress && isText)) {
    return `${isText ? `“${given}”` : 'This'} is no e-mail address. Write it as a@example.com.`;
  }
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  if (code !== 'invalid_request') return plain(hint);
  const isEmpty = rule === 'at_least' && given === '';
  if (rule === 'missing' || isEmpty) return `The ${nameOf(field ?? '')} is missing.`;
  switch (rule) {
    case 'type':
    case 'format':
      return `Give ${allowed}.`;
    case 'at_most':
    case 'at_least':
      return `Give ${rule === 'at_most' ? 'at most' : 'at least'} ${allowed}${unit === undefined ? '' : UNITS[unit][allowed === 1 ? 0 : 1]}.`;
    case 'one_of':
      return `Give one of ${(allowed as unknown[]).join(', ')}.`;
    case 'form':
      return upper(String(allowed));
    case 'refused':
      return `${plain(String(allowed))}.`;
    default:
      return plain(hint);
  }
};

/** Converts the service's refusals to a form's text; no other place does. */
export const toRefusal = (failure: Failure): Refusal => {
  const { field } = failure.fields;
  const named = typeof field === 'string' ? field : (FIELDS[failure.code] ?? null);
  return { field: named, words: OF_FIELDS[named ?? ''] ?? sentenceOf(failure) };
};
