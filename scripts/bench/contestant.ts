/** A mail server under measurement. */

export interface Contestant extends AsyncDisposable {
  readonly name: 'postroom' | 'postfix';
  /** Its SMTP port on 127.0.0.1. */
  readonly port: number;
  /** The same of the other boxes of its installation. */
  readonly otherPorts?: readonly number[];
  /**
   * Resolves once the reader of the last mail of the round finds it, and with files once all are there.
   * @param last a word that only the last mail of this round bears
   */
  delivered(messages: number, last: string, signal: AbortSignal): Promise<void>;
  /**
   * Puts away what would make the next round dearer than this one, and looks for every mail of this one. Not timed.
   * @param marker a word that only the mails of this round bear: all of them have to be found by it
   */
  tidy(messages: number, marker: string): Promise<void>;
  /** All its processes and threads, since their start. */
  cpuSeconds(): number;
  /** Of the thread that the others wait for; null where it is many processes. */
  mainThreadSeconds(): number | null;
  /** Null where it is many processes, which share most of their memory. */
  peakMebibytes(): number | null;
}
