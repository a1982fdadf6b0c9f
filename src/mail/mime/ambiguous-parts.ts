/**
 * Detects parts that mail programs decode differently, because the standards leave the result open. These are doubled
 * fields and parameters, and octets outside the base64 alphabet: RFC 2045 section 6.8 lets a decoder skip them or stop.
 */

/** MIME fields of which a part has one (RFC 2045 section 3, RFC 2183 section 2). */
const SINGLE = {
  'content-type': 'more than one Content-Type',
  'content-transfer-encoding': 'more than one Content-Transfer-Encoding',
  'content-disposition': 'more than one Content-Disposition',
};
const PARAMETERS = { boundary: 'more than one boundary', charset: 'more than one charset' };
const FOREIGN_OCTETS = 'octets in base64 that are not of it';
const AFTER_PADDING = 'data behind the end of base64';

const DEFECTS: ReadonlySet<string> = new Set([
  ...Object.values(SINGLE),
  ...Object.values(PARAMETERS),
  FOREIGN_OCTETS,
  AFTER_PADDING,
]);

/** Whether a defect is one of this module: other programs may display other content. */
export const isAmbiguity = (defect: string): boolean => DEFECTS.has(defect);

/** A parameter, in a quoted string and in a comment too: not every program parses these. `*0` is a section of RFC 2231. */
const PARAMETER = /[;\s"'(),]\s{0,8}(boundary|charset)(\*\d{0,4}\*?)?\s{0,8}=/gi;

const findParameters = (value: string, found: Set<string>): void => {
  const seen = new Map<string, number>();
  for (const [, name = '', section = ''] of value.matchAll(PARAMETER)) {
    const key = name.toLowerCase() as keyof typeof PARAMETERS;
    const times = seen.get(key) ?? 0;
    // The sections of one value follow one another.
    if (times > 0 && Number.parseInt(section.slice(1), 10) !== times) found.add(PARAMETERS[key]);
    seen.set(key, times + 1);
  }
};

/** @param fields of one part: `key` in lower case; `value` folded or not, with or without the field's name */
export const findAmbiguousFields = (fields: readonly { key: string; value: string }[]): Set<string> => {
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const { key, value } of fields) {
    if (!Object.hasOwn(SINGLE, key)) continue;
    if (seen.has(key)) found.add(SINGLE[key as keyof typeof SINGLE]);
    seen.add(key);
    if (key === 'content-type') findParameters(value, found);
  }
  return found;
};

const NOT_BASE64 = /[^A-Za-z0-9+/ \t\r\n]/;
const NOT_PADDING = /[^= \t\r\n]/;

/**
 * Examines a part's base64, chunk by chunk.
 * @param onFound called once, with the first defect
 */
export const createBase64Check = (onFound: (defect: string) => void): ((chunk: Buffer) => void) => {
  let isPadded = false;
  let isDone = false;
  const end = (defect: string): void => {
    isDone = true;
    onFound(defect);
  };
  return (chunk) => {
    if (isDone) return;
    let rest = chunk.toString('latin1');
    if (!isPadded) {
      const at = rest.search(NOT_BASE64);
      if (at < 0) return;
      if (rest.charAt(at) !== '=') return end(FOREIGN_OCTETS);
      isPadded = true;
      rest = rest.slice(at);
    }
    if (NOT_PADDING.test(rest)) end(AFTER_PADDING);
  };
};
