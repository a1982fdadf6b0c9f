/** SMTP sessions that are open and idle, kept a short while for the next mail to the same host. */

import { type Millis, SECOND } from '../kernel/clock.ts';
import type { SmtpSession } from '../net/smtp-client.ts';

const KEPT_FOR_MS: Millis = 5 * SECOND;
/** Hosts count, and some refuse the next without a word; Postfix's figure too. */
const MAX_MAILS = 100;

interface Kept {
  readonly session: SmtpSession;
  readonly timer: NodeJS.Timeout;
}

export class KeptSessions {
  /** By what sessions have in common that may stand for one another; it begins with the host's name and a blank. */
  readonly #idle = new Map<string, Kept[]>();

  /** The one that was used last, so that the others grow old. */
  take(key: string): SmtpSession | null {
    const line = this.#idle.get(key) ?? [];
    for (let kept = line.pop(); kept; kept = line.pop()) {
      clearTimeout(kept.timer);
      if (line.length === 0) this.#idle.delete(key);
      if (kept.session.isReusable) return kept.session;
      void kept.session.quit();
    }
    return null;
  }

  /** Ends a session that has had its share. */
  keep(key: string, session: SmtpSession): void {
    if (!session.isReusable || session.mails >= MAX_MAILS) {
      void session.quit();
      return;
    }
    const timer = setTimeout(() => this.#drop(key, session), KEPT_FOR_MS).unref();
    const line = this.#idle.get(key) ?? [];
    line.push({ session, timer });
    this.#idle.set(key, line);
  }

  /** Ends what is idle with a host: it may have no more sessions than it is used for. */
  dropAllOf(host: string): void {
    for (const [key, line] of this.#idle) {
      if (!key.startsWith(`${host} `)) continue;
      this.#idle.delete(key);
      for (const { session, timer } of line) {
        clearTimeout(timer);
        void session.quit();
      }
    }
  }

  async close(): Promise<void> {
    const all = [...this.#idle.values()].flat();
    this.#idle.clear();
    await Promise.all(
      all.map(({ session, timer }) => {
        clearTimeout(timer);
        return session.quit();
      }),
    );
  }

  #drop(key: string, session: SmtpSession): void {
    const line = this.#idle.get(key)?.filter((kept) => kept.session !== session) ?? [];
    if (line.length > 0) this.#idle.set(key, line);
    else this.#idle.delete(key);
    void session.quit();
  }
}
