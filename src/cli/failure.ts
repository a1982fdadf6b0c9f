/** Maps an error to an exit code and a text on stderr, which names the remedy. */

import { StartError } from '../app/start-error.ts';
import { BounceRulesError } from '../config/bounce-rules.ts';
import { ConfigError } from '../config/config-text.ts';
import { ApiError } from '../kernel/errors.ts';
import { codeOf } from '../kernel/text/message-of.ts';
import { KeyFileError } from '../seal/key-file.ts';
import { BackupError, CopyError, LockedError, SchemaError, ServerError } from '../store/store-errors.ts';
import { refusalText } from './refusals.ts';

/** The exit codes of every command. 69 and 78 are those of sysexits.h. */
export const EXIT = {
  done: 0,
  /** Refused or failed. */
  refused: 1,
  wrongUsage: 2,
  /** The daemon, or a service that it needs, does not answer. */
  unreachable: 69,
  badConfig: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that failed. The message names the remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Printed above the message, so that the message comes last; "": none. */
  readonly usage: string;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions & { usage?: string }) {
    super(message, options);
    this.exitCode = exitCode;
    this.usage = options?.usage ?? '';
  }
}

export const refused = (message: string): CommandError => new CommandError(EXIT.refused, message);
export const wrongUsage = (message: string, usage = ''): CommandError =>
  new CommandError(EXIT.wrongUsage, message, { usage });

export interface Failure {
  readonly exitCode: ExitCode;
  /** `error` in the output of `--json`: the interface's code where there is one, else the meaning of the exit code. */
  readonly code: string;
  readonly text: string;
  /** `hint` in the output of `--json`. */
  readonly hint: string;
  /** Printed above the text; "": none. */
  readonly usage: string;
}

const CODES: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: 'done',
  [EXIT.refused]: 'refused',
  [EXIT.wrongUsage]: 'wrong_usage',
  [EXIT.unreachable]: 'unreachable',
  [EXIT.badConfig]: 'bad_config',
};

const failure = (exitCode: ExitCode, text: string, code = CODES[exitCode], hint = text): Failure => ({
  exitCode,
  code,
  text,
  hint,
  usage: '',
});

/** Errors of the config and the files that it names. */
const BAD_CONFIG = [ConfigError, KeyFileError, BounceRulesError, StartError];

const BARRED_CONFIG = 'Run the command as root. The service reads the file by its group: root:postroom, mode 0640.';

export const toFailure = (error: unknown): Failure => {
  if (error instanceof CommandError) return { ...failure(error.exitCode, error.message), usage: error.usage };
  if (BAD_CONFIG.some((kind) => error instanceof kind)) {
    const { message, cause } = error as Error;
    const isBarred = error instanceof ConfigError && codeOf(cause) === 'EACCES';
    return failure(EXIT.badConfig, isBarred ? `${message}. ${BARRED_CONFIG}` : message);
  }
  if (error instanceof ApiError) {
    const text = refusalText(error);
    return text === null
      ? failure(EXIT.refused, `${error.hint} (${error.code})`, error.code, error.hint)
      : failure(EXIT.refused, text, error.code);
  }
  if (error instanceof LockedError) {
    return failure(EXIT.refused, `${error.message} Stop it first.`);
  }
  if ([SchemaError, BackupError, ServerError, CopyError].some((kind) => error instanceof kind)) {
    return failure(EXIT.refused, (error as Error).message);
  }
  return failure(EXIT.refused, textOfUnforeseen(error));
};

const OWNER =
  'Run the command as root, or as the user that the data directory belongs to. A file in it that is of another user, as after a copy by root: `chown` it.';

/** By the code, or by the part of it before the particular (SQLITE_IOERR of SQLITE_IOERR_WRITE). */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: OWNER,
  EPERM: OWNER,
  EROFS:
    'See `mount` and `dmesg`: a disk that fails is made read-only. To a service, every folder but /var/lib/postroom is: see docs/moving for data on another disk.',
  ENOSPC: 'Free some room.',
  SQLITE_FULL: 'Free some room.',
  SQLITE_IOERR: 'The disk fails or is full: see `df` and `dmesg`.',
  SQLITE_BUSY: 'Another process keeps the data file busy. Try again.',
  SQLITE_READONLY: OWNER,
  SQLITE_CANTOPEN: OWNER,
};

/** The system's message where the fault has a code, else the stack. */
const textOfUnforeseen = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error) ?? codeOf(error.cause);
  if (code === null) return error.stack ?? error.message;
  const advice = ADVICE[code] ?? ADVICE[code.split('_', 2).join('_')];
  return `${error.message}${advice ? `. ${advice}` : ` (${code})`}`;
};
