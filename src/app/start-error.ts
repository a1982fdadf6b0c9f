import { formatListenAddress, type ListenAddress } from '../config/config-values.ts';
import { messageOf } from '../kernel/text/message-of.ts';

/** A failed start with a cause that the operator can repair; its message is shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** @param hint the remedy; left out where the system's message suffices */
export const cannotListen = (address: ListenAddress, cause: unknown, hint = ''): StartError => {
  const text = messageOf(cause);
  return new StartError(`Cannot listen on ${formatListenAddress(address)}: ${text}${hint && `. ${hint}`}`, { cause });
};
