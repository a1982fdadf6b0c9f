/** Writes exported mail. Until `publish` it stands beside the target, under a name that marks it as partial. */

export interface WrittenMail {
  id: string;
  direction: 'in' | 'out';
  /** The envelope's sender; '' for the null sender. */
  sender: string;
  /** Epoch milliseconds. */
  at: number;
  octets: Buffer;
}

export interface MailWriter {
  add(mail: WrittenMail): Promise<void>;
  /** Syncs everything to disk and renames it to the target. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

export const PARTIAL = '.partial';
/** Only the owner may read mail. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
