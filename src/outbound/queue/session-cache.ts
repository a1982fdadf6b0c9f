/** SMTP sessions that are open and idle, kept a short while for the next mail to the same host. */

import { type Millis, SECOND } from '../../kernel/clock.ts';
import type { SmtpSession } from '../../net/smtp/smtp-client.ts';

const IDEMPOTENCY_RETENTION_MS: Millis = 5 * SECOND;
/** Hosts count, and some refuse the next without a word; Postfix's figure too. */
const MAX_MAILS = 100;

interface Kept {
  readonly session: SmtpSession;
  readonly timer: NodeJS.Timeout;
}

export class SessionCache {
  /** By what sessions have in common that may stand for one another; it begins with the host's name and a blank. */
  readonly #idle = new Map<string, Kept[]>();
  /** By key too: what says good-bye this moment, and is a session still as its host counts them. */
  readonly #closing = new Map<Promise<void>, string>();

  /** The one that was used last, so that the others grow old. */
  take(key: string): SmtpSession | null {
    const line = this.#idle.get(key) ?? [];
    for (let kept = line.pop(); kept; kept = line.pop()) {
      clearTimeout(kept.timer);
      if (line.length === 0) this.#idle.delete(key);
      if (kept.session.isReusable) return kept.session;
      this.#end(key, kept.session);
    }
    return null;
  }

  /** Ends a session that has had its share. */
  keep(key: string, session: SmtpSession): void {
    if (!session.isReusable || session.mails >= MAX_MAILS) {
      this.#end(key, session);
      return;
    }
    const timer = setTimeout(() => this.#drop(key, session), IDEMPOTENCY_RETENTION_MS).unref();
    const line = this.#idle.get(key) ?? [];
    line.push({ session, timer });
    this.#idle.set(key, line);
  }

  /** Ends what is idle with a host, and waits until it has: it may have no more sessions than it is used for. */
  async dropAllOf(host: string): Promise<void> {
    await this.#endWhere((key) => key.startsWith(`${host} `));
  }

  async close(): Promise<void> {
    await this.#endWhere(() => true);
  }

  async #endWhere(isMeant: (key: string) => boolean): Promise<void> {
    for (const [key, line] of this.#idle) {
      if (!isMeant(key)) continue;
      this.#idle.delete(key);
      for (const { session, timer } of line) {
        clearTimeout(timer);
        this.#end(key, session);
      }
    }
    await Promise.all([...this.#closing].filter(([, key]) => isMeant(key)).map(([ending]) => ending));
  }

  #end(key: string, session: SmtpSession): void {
    const ending = session.quit().finally(() => this.#closing.delete(ending));
    this.#closing.set(ending, key);
  }

  #drop(key: string, session: SmtpSession): void {
    const line = this.#idle.get(key)?.filter((kept) => kept.session !== session) ?? [];
    if (line.length > 0) this.#idle.set(key, line);
    else this.#idle.delete(key);
    this.#end(key, session);
  }
}
