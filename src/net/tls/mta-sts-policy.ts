/** Parses MTA-STS records and policies (RFC 8461), and matches hosts. Pure. */

export interface StsPolicy {
  readonly mode: 'enforce' | 'testing' | 'none';
  /** Lower case: host names, or `*.` before a domain. Empty only where the mode is `none`. */
  readonly mx: readonly string[];
  /** Validity in seconds. */
  readonly maxAge: number;
}

/** The maximum that RFC 8461 section 3.3 suggests. */
export const MAX_POLICY_BYTES = 64 * 1024;
/** About a year: RFC 8461 section 3.2. */
const MAX_AGE_SECONDS = 31_557_600;
/** More than real domains have; every mail compares each of them. */
const MAX_MX = 500;

const RECORD = /^v=STSv1[ \t]*;/;
const ID = /^[A-Za-z0-9]{1,32}$/;
/** Blanks around the value are trimmed: a pattern for them takes hours on a line of blanks. */
const FIELD = /^(?<key>[A-Za-z0-9][\w.-]{0,31})[ \t]*:(?<value>.*)$/s;
const MX = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Parses the policy's id.
 * @param records the TXT records of `_mta-sts.<domain>`, the strings of each joined
 * @returns null without exactly one valid record: the domain then has no policy
 * @see RFC 8461 section 3.1
 */
export const readStsId = (records: readonly string[]): string | null => {
  const [record, ...others] = records.filter((text) => RECORD.test(text));
  if (record === undefined || others.length > 0) return null;
  const ids = record
    .split(';')
    .map((field) => field.trim())
    .filter((field) => field.startsWith('id='))
    .map((field) => field.slice('id='.length));
  return ids.length === 1 && ID.test(ids[0] ?? '') ? (ids[0] ?? null) : null;
};

export type ParsedStsPolicy =
  | { readonly kind: 'policy'; readonly policy: StsPolicy }
  | { readonly kind: 'invalid'; readonly reason: string };

const invalid = (reason: string): ParsedStsPolicy => ({ kind: 'invalid', reason });

/**
 * Parses a policy. Ignores unknown fields; of a repeated one the first counts, except `mx`.
 * @param text the body as received, its lines ended by CRLF or LF
 * @see RFC 8461 section 3.2
 */
export const parseStsPolicy = (text: string): ParsedStsPolicy => {
  const first = new Map<string, string>();
  const mx: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const { key, value: given } = FIELD.exec(line)?.groups ?? {};
    if (key === undefined || given === undefined) continue;
    const value = given.trim();
    if (key === 'mx') mx.push(value.toLowerCase());
    else if (!first.has(key)) first.set(key, value);
  }
  if (first.get('version') !== 'STSv1') return invalid('The policy does not begin as version STSv1');
  const mode = first.get('mode');
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return invalid('The policy names no mode');
  const age = first.get('max_age') ?? '';
  if (!/^\d{1,10}$/.test(age)) return invalid('The policy names no max_age');
  if (mx.length > MAX_MX) return invalid(`The policy names more than ${MAX_MX} hosts`);
  const wrong = mx.find((pattern) => pattern.length > 255 || !MX.test(pattern));
  if (wrong !== undefined) return invalid(`The policy names a host that is none: ${wrong.slice(0, 100)}`);
  if (mode !== 'none' && mx.length === 0) return invalid('The policy names no hosts');
  return { kind: 'policy', policy: { mode, mx, maxAge: Math.min(Number(age), MAX_AGE_SECONDS) } };
};

/** Whether a policy matches a host. `*.` matches exactly one label: RFC 8461 section 4.1. */
export const allowsHost = ({ mx }: Pick<StsPolicy, 'mx'>, host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '');
  const dot = name.indexOf('.');
  const parent = dot > 0 ? name.slice(dot) : null;
  return mx.some((pattern) => (pattern.startsWith('*') ? pattern.slice(1) === parent : pattern === name));
};
