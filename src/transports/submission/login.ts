/** AUTH with an agent's address and one of its API keys. Failures are delayed, and limited per client network. */

import { setTimeout as delay } from 'node:timers/promises';
import type { SMTPServerAuthentication } from 'smtp-server';
import type { Authenticate } from '../../access/authenticate-key.ts';
import { createRateLimit } from '../../access/rate-limit.ts';
import { addressKey, parseAddress } from '../../kernel/address.ts';
import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import { type Clock, MINUTE, SECOND } from '../../kernel/clock.ts';
import { ApiError, SmtpError } from '../../kernel/errors.ts';
import type { KeyId, MailboxId } from '../../kernel/ids.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import { type Agent, findAgentById } from '../../store/accounts/agents.ts';
import type { Db } from '../../store/store.ts';

export interface LoginLimits {
  readonly failedPerMinute: number;
  readonly failureDelaySeconds: number;
  /** Clients with uncounted failures. */
  readonly isTrusted: (ip: string) => boolean;
}

export interface LoginNeeds {
  read: Db;
  authenticate: Authenticate;
  clock: Clock;
}

export interface Submitter {
  readonly agent: Agent;
  readonly mailboxId: MailboxId;
  readonly keyId: KeyId;
}

export type Login = (ip: string, credentials: SMTPServerAuthentication) => Promise<Submitter>;

/** RFC 4954 section 6. One text for every cause, so that a reply does not disclose which addresses exist. */
const invalid = () =>
  new SmtpError({ code: 535, enhanced: '5.7.8', text: 'The address and key do not belong together' });

export const createLogin = (limits: LoginLimits, { read, authenticate, clock }: LoginNeeds): Login => {
  const failures = createRateLimit(clock, limits.failedPerMinute, MINUTE);

  const authorise = async ({ username, password, authzid }: SMTPServerAuthentication): Promise<Submitter> => {
    const caller = await findCaller(password ?? '');
    const agent = caller && (await findAgentById(read, caller.agentId));
    const named = parseAddress(username ?? '');
    if (!agent || !named || addressKey(named) !== addressKey(agent.address)) throw invalid();
    // An authorization identity other than the user name is refused (RFC 4616).
    if (authzid && authzid !== username) throw invalid();
    if (!caller.scopes.has('mail:send')) {
      throw new SmtpError({ code: 535, enhanced: '5.7.1', text: 'This key lacks the scope mail:send' });
    }
    return { agent, mailboxId: mailboxOf(caller), keyId: caller.keyId };
  };
  const findCaller = async (key: string): Promise<AgentCaller | null> => {
    try {
      return await authenticate(`Bearer ${key}`);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  };

  return async (ip, credentials) => {
    try {
      return await authorise(credentials);
    } catch (error) {
      if (!(error instanceof SmtpError)) throw error;
      // Only wrong keys count: many clients may share an address. A right one is too long to be guessed.
      if (!failures.take(clientNetwork(ip)).allowed && !limits.isTrusted(ip)) {
        throw new SmtpError({ code: 421, enhanced: '4.7.0', text: 'Too many failed logins, try again in a minute' });
      }
      await delay(limits.failureDelaySeconds * SECOND, undefined, { ref: false });
      throw error;
    }
  };
};
