/** What is known of an SMTP session while it runs: the step it is at, and a transcript without the message. */

import { parseReply, type SmtpReply } from './smtp-reply.ts';

export type Phase = 'connect' | 'greeting' | 'ehlo' | 'starttls' | 'mail' | 'rcpt' | 'data' | 'final';

/** A transcript is kept with each attempt. The last lines say most, so the first go. */
const MAX_TRANSCRIPT = 8 * 1024;
const MAX_LINE = 512;
/** Lines of one reply: an EHLO reply has a dozen. */
const MAX_REPLY_LINES = 32;

const PHASE_OF_COMMAND: Readonly<Record<string, Phase>> = {
  EHLO: 'ehlo',
  HELO: 'ehlo',
  STARTTLS: 'starttls',
  MAIL: 'mail',
  RCPT: 'rcpt',
  DATA: 'data',
  '.': 'final',
};

const bounded = (lines: readonly string[]): string => {
  let start = lines.length;
  let size = 0;
  while (start > 0) {
    size += (lines[start - 1]?.length ?? 0) + 1;
    if (size > MAX_TRANSCRIPT) return ['(earlier lines left out)', ...lines.slice(start)].join('\n');
    start--;
  }
  return lines.join('\n');
};

/** The whole delivery's lines, over the connections it takes. */
export const createTranscript = () => {
  const lines: string[] = [];
  return {
    add: (who: 'C' | 'S' | '*', text: string): void => {
      for (const line of text.trim().split('\n').slice(0, MAX_REPLY_LINES))
        lines.push(`${who}: ${line.slice(0, MAX_LINE)}`);
    },
    /** Lines `C: `, `S: ` and, for what is neither, `*: `; at most 8 KB. */
    text: (): string => bounded(lines),
  };
};

export type Transcript = ReturnType<typeof createTranscript>;

/**
 * Follows one session.
 * @param onStep called whenever the session is at another step, or further on within one
 */
export const createSessionRecord = (transcript: Transcript, onStep: () => void) => {
  /** What the host has still to answer, in the order it was sent: with PIPELINING that is more than one. */
  const awaited: Phase[] = [];
  let phase: Phase = 'connect';
  let sendsBody = false;
  let capabilities = '';
  let refusal: SmtpReply | null = null;

  const expect = (next: Phase): void => {
    awaited.push(next);
    if (awaited.length === 1) phase = next;
  };

  return {
    /** The oldest step that is not done. */
    phase: (): Phase => phase,
    sendsBody: (): boolean => sendsBody,
    /** The first refusal of MAIL or RCPT, which stands whatever happens to the connection later. */
    refusal: (): SmtpReply | null => refusal,
    offers: (extension: string): boolean => new RegExp(`^250[ -]${extension}\\b`, 'im').test(capabilities),
    /** In bytes, RFC 1870; 0 where the host names none. */
    sizeLimit: (): number => Number(/^250[ -]SIZE[ \t]+([0-9]{1,15})/im.exec(capabilities)?.[1] ?? 0),
    connected(): void {
      expect('greeting');
      onStep();
    },
    command(text: string): void {
      transcript.add('C', text);
      const known = PHASE_OF_COMMAND[text.split(' ', 1)[0] ?? ''];
      if (known) expect(known);
      onStep();
    },
    reply(text: string): void {
      transcript.add('S', text);
      const answered = awaited.shift();
      const positive = /^[23]/.test(text);
      if (answered === 'ehlo') capabilities = text;
      if (!positive && (answered === 'mail' || answered === 'rcpt')) refusal ??= parseReply(text);
      sendsBody = answered === 'data' && positive;
      phase = awaited[0] ?? phase;
      onStep();
    },
    /** A block of the message went out. */
    block: onStep,
    bodySent(bytes: number): void {
      transcript.add('C', `(${bytes} bytes of message, and the final dot)`);
      sendsBody = false;
      expect('final');
      onStep();
    },
  };
};

export type SessionRecord = ReturnType<typeof createSessionRecord>;
