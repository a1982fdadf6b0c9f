/** Parses message identifiers (RFC 5322 section 3.6.4); their angle brackets are kept. */

/** Octets. A line, and so an identifier, which cannot be folded, has no more (RFC 5322 section 2.1.1, RFC 6532 section 3.4). */
const MAX_ID = 998;
/** Threading needs the nearest ancestors only; some senders list hundreds. */
const MAX_REFERENCES = 50;

const MESSAGE_ID = /<[^<>\s\p{Cc}]{1,996}>/gu;

/** Returns every identifier of a value, in order, each once. */
const readMessageIds = (value: string): string[] =>
  [...new Set(value.match(MESSAGE_ID) ?? [])].filter((id) => Buffer.byteLength(id) <= MAX_ID);

/** Returns the last identifiers of a References or In-Reply-To value. */
export const readReferences = (value: string): string[] => readMessageIds(value).slice(-MAX_REFERENCES);

/** Parses the value of a Message-ID field. An identifier without brackets, or with blanks, becomes one word in brackets. */
export const readMessageId = (value: string): string | null => {
  const [id] = readMessageIds(value);
  if (id !== undefined) return id;
  const word = value.replace(/[<>\s\p{Cc}]+/gu, '').slice(0, MAX_ID - 2);
  return word === '' || Buffer.byteLength(word) > MAX_ID ? null : `<${word}>`;
};
