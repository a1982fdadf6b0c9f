/** Message identifiers (RFC 5322 section 3.6.4), kept with their angle brackets. */

/** RFC 5322 section 2.1.1: a line, and so an identifier that cannot be folded, has at most 998 characters. */
const MAX_ID = 998;
/** Threads are found by the nearest ancestors; some senders list hundreds. */
const MAX_REFERENCES = 50;

const MESSAGE_ID = /<[^<>\s\p{Cc}]{1,996}>/gu;

/** Every identifier of a value, in its order, each once. */
const readMessageIds = (value: string): string[] => [...new Set(value.match(MESSAGE_ID) ?? [])];

/** The last identifiers of a References or In-Reply-To value. */
export const readReferences = (value: string): string[] => readMessageIds(value).slice(-MAX_REFERENCES);

/** A Message-ID's value. One that was written without brackets, or with blanks in it, is kept as one word in brackets. */
export const readMessageId = (value: string): string | null => {
  const [id] = readMessageIds(value);
  if (id !== undefined) return id;
  const word = value
    .slice(0, MAX_ID * 2)
    .replace(/[<>\s\p{Cc}]+/gu, '')
    .slice(0, MAX_ID - 2);
  return word === '' ? null : `<${word}>`;
};
