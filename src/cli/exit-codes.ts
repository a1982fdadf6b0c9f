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
