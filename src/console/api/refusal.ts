/** A refusal in the words of the console, and the field of a form that it is about. */

import type { Failure } from './failure.ts';

export interface Refusal {
  /** As the service names it: `channels.0.value`; null where it is about no one field. */
  field: string | null;
  words: string;
}

/** Codes that say which field is meant, where the service names none. */
const FIELDS: Readonly<Record<string, string>> = {
  ...{ invalid_handle: 'handle', handle_taken: 'handle', handle_required: 'handle' },
  ...{ invalid_email: 'email', owner_exists: 'email', fact_required: 'fact', name_required: 'given_name' },
  ...{ invalid_domain: 'domain', domain_taken: 'domain', unknown_domain: 'domain', invalid_value: 'value' },
  ...{ https_url_required: 'url', private_url_not_allowed: 'url', credentials_in_url: 'url' },
  ...{ reserved_header_name: 'headers', invalid_header_name: 'headers', invalid_header_value: 'headers' },
  ...{ too_many_headers: 'headers', invalid_template: 'template', template_too_large: 'template' },
  ...{ list_name_taken: 'name', secret_exists: 'name', body_required: 'body', events_required: 'events' },
};

/** Sentences of the console where those of the service speak of requests. */
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

/** The same where the field says more than the code. */
const OF_FIELDS: Readonly<Record<string, string>> = {
  'value.totp_seed': 'This is neither base32 text nor an otpauth://totp/ address. Copy it as the site shows it.',
};

/** What stands behind the field in a hint: "`url` has at most 100 characters, not "…"." */
const NAMED = /^`([\w.]+)`\s*(?:, not ("(?:[^"\\]|\\.)*"?…?))?(:| )\s*/;
const GIVEN = /, not (?:"(?:[^"\\]|\\.)*"?…?|[\w.-]+)\.$/;

const upper = (text: string): string => text.replace(/^./u, (first) => first.toUpperCase());
const unquoted = (text: string): string => text.replace(/^"|"?…?$/g, '').replace(/\\(.)/g, '$1');

const sentenceOf = ({ code, hint }: Failure): string => {
  const given = NAMED.exec(hint)?.[2] ?? /, not ("(?:[^"\\]|\\.)*"?…?)\.$/.exec(hint)?.[1];
  if (code === 'invalid_email') {
    const shown = given === undefined ? 'This' : `“${unquoted(given)}”`;
    return `${shown} is no e-mail address. Write it as a@example.com.`;
  }
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  if (/e-mail address/i.test(hint) && given !== undefined) {
    return `“${unquoted(given)}” is no e-mail address. Write it as a@example.com.`;
  }
  const rest = hint
    .replace(NAMED, '')
    .replace(/^is refused: /, '')
    .replace(GIVEN, '.');
  const words = rest
    .replace(/^is missing.*$/, 'This is missing.')
    .replace(/^(?:has|is) /, 'Give ')
    .replaceAll('`', '')
    .replaceAll(/\b([a-z]+)_([a-z_]+)\b/g, (name) => name.replaceAll('_', ' '));
  return upper(words);
};

/** The one place where what the service refuses becomes what a form says. */
export const toRefusal = (failure: Failure): Refusal => {
  const { field } = failure.fields;
  const named = typeof field === 'string' ? field : (FIELDS[failure.code] ?? null);
  return { field: named, words: OF_FIELDS[named ?? ''] ?? sentenceOf(failure) };
};
