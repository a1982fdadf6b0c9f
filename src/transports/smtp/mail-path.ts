/** The arguments of MAIL and RCPT (RFC 5321 section 4.1.2): a path in angle brackets, followed by parameters. */

export interface MailPath {
  /** As written, without brackets and source route; '' is the null sender. */
  readonly address: string;
  /** Names in upper case; true where there is no value. */
  readonly parameters: ReadonlyMap<string, string | true>;
  /** A parameter given twice; null where there is none. */
  readonly duplicate: string | null;
}

/** Accepts blanks before the path: not in the RFC's syntax, but common. */
const COMMAND = /^(MAIL FROM|RCPT TO):[ \t]*<((?:"(?:[^"\\]|\\.)*"|[^<>"\s])*)>(?:[ \t]+(.*))?$/iu;
/** A source route is accepted and ignored (RFC 5321 appendix C). A host in it may be an address literal with colons. */
const SOURCE_ROUTE = /^@(?:\[[^\s\]]+\]|[^\s,:@[]+)(?:,@(?:\[[^\s\]]+\]|[^\s,:@[]+))*:/;
const CONTROL = /\p{Cc}/u;

/**
 * Parses a command's line.
 * @param line its bytes; text beyond ASCII must be UTF-8
 * @returns null where the syntax is invalid
 */
export const parseMailPath = (command: 'MAIL FROM' | 'RCPT TO', line: Buffer): MailPath | null => {
  const text = line.toString('utf8').trimEnd();
  const match = COMMAND.exec(text);
  // U+FFFD replaces bytes that are not UTF-8.
  if (match?.[1]?.toUpperCase() !== command || CONTROL.test(text.replaceAll('\t', ' ')) || text.includes('\ufffd')) {
    return null;
  }
  const parameters = new Map<string, string | true>();
  let duplicate: string | null = null;
  for (const written of (match[3] ?? '').split(/[ \t]+/).filter(Boolean)) {
    const equals = written.indexOf('=');
    const name = (equals < 0 ? written : written.slice(0, equals)).toUpperCase();
    if (parameters.has(name)) duplicate = name;
    parameters.set(name, equals < 0 ? true : written.slice(equals + 1));
  }
  return { address: (match[2] ?? '').replace(SOURCE_ROUTE, ''), parameters, duplicate };
};

/** Whether an address requires the SMTPUTF8 parameter (RFC 6531 section 3.3). */
export const needsUtf8 = (address: string): boolean => /[^\p{ASCII}]/u.test(address);

/** The size in bytes that MAIL declares (RFC 1870 section 6.1); 1 where it declares none. */
export const readDeclaredSize = (parameters: Readonly<Record<string, string | true>> | false): number =>
  Number(parameters ? (parameters.SIZE ?? 1) : 1);
