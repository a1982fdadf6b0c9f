import { formatListenAddress, type ListenAddress } from '../config/config-values.ts';

/** A start that fails for a reason that the operator can mend; its message is shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** @param hint what to do about it; left out where the system's message says enough */
export const cannotListen = (address: ListenAddress, cause: unknown, hint = ''): StartError => {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new StartError(`Cannot listen on ${formatListenAddress(address)}: ${text}${hint && `. ${hint}`}`, { cause });
};
