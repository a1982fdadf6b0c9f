/** Media types with their parameters: RFC 2045 section 5.1. */

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

/** RFC 6838 section 4.2 gives each half of a type 127 characters. */
const MAX_TYPE = 255;
/** Parameters in use are a handful of short words; the longest is the boundary of a multipart, of 70 characters. */
const MAX_PARAMETERS = 20;
const MAX_VALUE = 200;

/** Reads a media type as a header field has it; null where the whole text is none, or it has a control character. */
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

/** As a header field has it, on one line. Parameters that are not printable ASCII, or long, are left out. */
export const formatMediaType = ({ type, parameters }: MediaType): string =>
  [
    type.slice(0, MAX_TYPE),
    ...parameters
      .filter(isKept)
      .slice(0, MAX_PARAMETERS)
      .map(([name, value]) => `${name.toLowerCase()}=${BARE.test(value) ? value : quoted(value)}`),
  ].join('; ');

const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;
