/** Parses and formats media types with their parameters (RFC 2045 section 5.1). */

export interface MediaType {
  /** `type/subtype`, in lower case. */
  readonly type: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

const TOKEN = String.raw`[\w!#$%&'*+.^\x60{|}~-]+`;
const TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*`);
const PARAMETER = new RegExp(`;\\s*(${TOKEN})\\s*=\\s*(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")\\s*`, 'y');
const BARE = new RegExp(`^${TOKEN}$`);
const PRINTABLE = /^[\x20-\x7e]*$/;

/** RFC 6838 section 4.2 limits each half of a type to 127 characters. */
const MAX_TYPE = 255;
/** Real parameters are a handful of short words; the longest is a multipart's boundary, of 70 characters. */
const MAX_PARAMETERS = 20;
const MAX_VALUE = 200;

/** Parses a media type in header syntax; null where the text is not one as a whole, or contains a control character. */
export const parseMediaType = (text: string): MediaType | null => {
  const start = PRINTABLE.test(text) ? TYPE.exec(text) : null;
  if (!start?.[1]) return null;
  const parameters: [string, string][] = [];
  PARAMETER.lastIndex = start[0].length;
  while (PARAMETER.lastIndex < text.length) {
    const found = PARAMETER.exec(text);
    if (!found?.[1]) return null;
    parameters.push([found[1], found[2] ?? found[3]?.replace(/\\(.)/g, '$1') ?? '']);
  }
  return { type: start[1].toLowerCase(), parameters };
};

const isKept = ([name, value]: readonly [string, string]): boolean =>
  BARE.test(name) && name.length <= MAX_VALUE && value.length <= MAX_VALUE && PRINTABLE.test(value);

/** Formats a media type in header syntax, on one line. Leaves out parameters that are long or not printable ASCII. */
export const formatMediaType = ({ type, parameters }: MediaType): string =>
  [
    type.slice(0, MAX_TYPE),
    ...parameters
      .filter(isKept)
      .slice(0, MAX_PARAMETERS)
      .map(([name, value]) => `${name.toLowerCase()}=${BARE.test(value) ? value : quoted(value)}`),
  ].join('; ');

const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;

/** Drops the parameters, which the sender chose. */
export const bareMediaType = (text: string): string => parseMediaType(text)?.type ?? 'application/octet-stream';
