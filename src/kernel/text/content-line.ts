/**
 * One content line of a vCard or a calendar: `group.NAME;PARAM=value:value` (RFC 6350 section 3.3, RFC 5545 section 3.1), with
 * the bare parameters of vCard 2.1.
 */

export interface Property {
  /** In lower case; null without one. */
  group: string | null;
  /** In upper case. */
  name: string;
  /** Names in upper case. */
  parameters: ReadonlyMap<string, readonly string[]>;
  /** As written. */
  value: string;
}

/** Octets before the colon. */
const MAX_HEAD = 4_096;
const MAX_PARAMETERS = 50;

/** Splits at a separator outside double quotes. */
const splitUnquoted = (text: string, separator: string): string[] => {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
};

/** The first colon outside double quotes; the first of all where quotes are not closed, as 2.1 has none. */
const findColon = (line: string): number => {
  const head = line.slice(0, MAX_HEAD);
  const [before = ''] = splitUnquoted(head, ':');
  return before.length < head.length ? before.length : head.indexOf(':');
};

const TRANSFER_ENCODINGS = new Set(['QUOTED-PRINTABLE', 'BASE64', '8BIT', '7BIT']);

const parseParameters = (texts: readonly string[]): Map<string, string[]> => {
  const parameters = new Map<string, string[]>();
  for (const text of texts.slice(0, MAX_PARAMETERS)) {
    const equals = text.indexOf('=');
    const bare = TRANSFER_ENCODINGS.has(text.trim().toUpperCase()) ? 'ENCODING' : 'TYPE';
    const name = equals < 0 ? bare : text.slice(0, equals).trim().toUpperCase();
    const values = splitUnquoted(text.slice(equals + 1), ',').map((value) => value.trim().replace(/^"|"$/g, ''));
    const known = parameters.get(name);
    if (known) known.push(...values);
    else parameters.set(name, values);
  }
  return parameters;
};

/** Null for a line that is no property. */
export const parseProperty = (line: string): Property | null => {
  const colon = findColon(line);
  if (colon < 1) return null;
  const [path = '', ...parameters] = splitUnquoted(line.slice(0, colon), ';');
  const dot = path.lastIndexOf('.');
  const name = path
    .slice(dot + 1)
    .trim()
    .toUpperCase();
  if (name === '') return null;
  return {
    group: dot < 0 ? null : path.slice(0, dot).trim().toLowerCase(),
    name,
    parameters: parseParameters(parameters),
    value: line.slice(colon + 1),
  };
};

/** Colons and quotes are escaped by some writers. A backslash before any other character is a backslash. */
const ESCAPED = /\\([nN,;:"\\])/g;

export const unescapeText = (text: string): string =>
  text.replace(ESCAPED, (_, character: string) => (character === 'n' || character === 'N' ? '\n' : character));
