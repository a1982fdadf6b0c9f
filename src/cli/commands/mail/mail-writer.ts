/** Where exported mail goes. Until `publish` all of it stands beside the target, under a name that says it is partial. */

export interface WrittenMail {
  id: string;
  direction: 'in' | 'out';
  /** Of the envelope; '' for the null sender. */
  sender: string;
  /** Epoch milliseconds. */
  at: number;
  octets: Buffer;
}

export interface MailWriter {
  add(mail: WrittenMail): Promise<void>;
  /** Brings everything to the disk and puts it into its place. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

export const PARTIAL = '.partial';
/** Mail is its owner's alone. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
