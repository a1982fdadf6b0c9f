import { messageOf } from '../../kernel/text/message-of.ts';

/** OpenSSL's own line: thread, `error`, code, library, function, reason, file, line and data. */
const OPENSSL = /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/i;

/** Node's advice behind a certificate that is not verified, for who starts Node themselves. */
const ADVICE = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/;

/** Reduces an OpenSSL error to its reason, such as `TLS: wrong version number`. */
export const errorText = (error: unknown): string => {
  const text = messageOf(error).replace(ADVICE, '');
  const reason = OPENSSL.exec(text)?.[1];
  return reason === undefined ? text : `TLS: ${reason}`;
};
