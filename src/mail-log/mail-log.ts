/** The mail log: one line for each event of a mail, with its ids and a stable reason. No text of any mail. */

import type { Log } from '../kernel/log.ts';
import { toReason } from './classify.ts';
import type { Reason } from './reasons.ts';

/** Characters kept of a remote's reply, which may be long. */
const MAX_REPLY_CHARS = 300;

interface Lines {
  received: { message_id: string | null; mailbox: string; from: string; peer: string | null; session: string | null };
  refused: RefusedLine;
  login_failed: { peer: string; user: string };
  queued: { message_id: string; delivery_id: string; from: string; to: string };
  held: { pending_id: string; from: string; to: readonly string[]; hold: string };
  decided: { pending_id: string; message_id: string | null; edited: boolean };
  delivered: DeliveryLine;
  deferred: DeliveryLine & { next_attempt_at: string };
  bounced: DeliveryLine & { suppressed: boolean };
  scanner_away: { peer: string };
  webhook_off: { webhook_id: string; why: string };
}

interface RefusedLine {
  stage: 'connect' | 'auth' | 'sender' | 'recipient' | 'data';
  peer: string;
  session: string;
  helo: string;
  from: string | null;
  to: string | null;
  code: number;
  reply: string;
}

interface DeliveryLine {
  message_id: string;
  delivery_id: string;
  to: string;
  host: string | null;
  code: number | null;
  reply: string;
  tls: string | null;
  attempt: number;
}

export type MailOutcome = keyof Lines;
export type MailLine<O extends MailOutcome = MailOutcome> = { [K in O]: { mail: K; reason: Reason } & Lines[K] }[O];

export interface MailLog {
  /** Called after the commit of the line's event. */
  record(line: MailLine): void;
}

export interface SharedMailLog extends MailLog {
  /** Calls the listener with every line from now on. */
  subscribe(listener: (line: MailLine) => void): void;
}

const cut = (line: MailLine): MailLine =>
  'reply' in line && line.reply.length > MAX_REPLY_CHARS
    ? { ...line, reply: `${line.reply.slice(0, MAX_REPLY_CHARS)}…` }
    : line;

export const createMailLog = (log: Log): SharedMailLog => {
  const listeners = new Set<(line: MailLine) => void>();
  return {
    record: (line) => {
      const written = cut(line);
      log.info(written, `mail ${line.mail}`);
      for (const listener of listeners) listener(written);
    },
    subscribe: (listener) => void listeners.add(listener),
  };
};

/** The reason of a refusal in SMTP's form, `5.1.1 text`. */
export const toRefusedReason = (code: number, reply: string): Reason => {
  const enhanced = /^([245]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1] ?? null;
  return toReason({ code, enhanced, text: reply });
};
