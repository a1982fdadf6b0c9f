/** A mail server under measurement. */

export interface Contestant extends AsyncDisposable {
  readonly name: 'postroom' | 'postfix';
  /** Its SMTP port on 127.0.0.1. */
  readonly port: number;
  /**
   * Resolves once every mail of the round is where its reader finds it; rejects where one is missing.
   * @param marker a word that only the mails of this round bear
   */
  delivered(messages: number, marker: string, signal: AbortSignal): Promise<void>;
  /** Puts away what would make the next round dearer than this one. Not timed. */
  tidy(): void;
  /** All its processes and threads, since their start. */
  cpuSeconds(): number;
  /** Of the thread that the others wait for; null where it is many processes. */
  mainThreadSeconds(): number | null;
  /** Null where it is many processes, which share most of their memory. */
  peakMebibytes(): number | null;
}
