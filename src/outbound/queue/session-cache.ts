/** Idle SMTP sessions, cached a few seconds for the next mail to the same destination. */

import { type Millis, SECOND } from '../../kernel/clock.ts';
import type { SmtpSession } from '../../net/smtp/smtp-client.ts';

const IDLE_MS: Millis = 5 * SECOND;
/** Hosts count mails per session, and some drop the next one silently. Postfix has the same bound. */
const MAX_MAILS = 100;

interface IdleSession {
  readonly session: SmtpSession;
  readonly timer: NodeJS.Timeout;
}

export class SessionCache {
  /** By what interchangeable sessions have in common; a key begins with the host's name and a blank. */
  readonly #idle = new Map<string, IdleSession[]>();
  /** Sessions in QUIT, by key: the host still counts them. */
  readonly #closing = new Map<Promise<void>, string>();

  /** The one used last, so that the surplus ages out. */
  take(key: string): SmtpSession | null {
    const sessions = this.#idle.get(key) ?? [];
    for (let idle = sessions.pop(); idle; idle = sessions.pop()) {
      clearTimeout(idle.timer);
      if (sessions.length === 0) this.#idle.delete(key);
      if (idle.session.isReusable) return idle.session;
      this.#end(key, idle.session);
    }
    return null;
  }

  /** Caches a session, or ends one that is broken or has carried {@link MAX_MAILS}. */
  put(key: string, session: SmtpSession): void {
    if (!session.isReusable || session.mails >= MAX_MAILS) {
      this.#end(key, session);
      return;
    }
    const timer = setTimeout(() => this.#drop(key, session), IDLE_MS).unref();
    const sessions = this.#idle.get(key) ?? [];
    sessions.push({ session, timer });
    this.#idle.set(key, sessions);
  }

  /**
   * Ends the idle sessions with a host; resolves once they are closed, so that they count to no limit of the host's.
   */
  async dropAllOf(host: string): Promise<void> {
    await this.#endWhere((key) => key.startsWith(`${host} `));
  }

  async close(): Promise<void> {
    await this.#endWhere(() => true);
  }

  async #endWhere(isMeant: (key: string) => boolean): Promise<void> {
    for (const [key, sessions] of this.#idle) {
      if (!isMeant(key)) continue;
      this.#idle.delete(key);
      for (const { session, timer } of sessions) {
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
    const sessions = this.#idle.get(key)?.filter((idle) => idle.session !== session) ?? [];
    if (sessions.length > 0) this.#idle.set(key, sessions);
    else this.#idle.delete(key);
    this.#end(key, session);
  }
}
