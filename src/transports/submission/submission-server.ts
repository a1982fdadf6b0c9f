/** Port 465 (RFC 8314): submission by mail clients as an agent, through the same send gate as every other send. */

import type { SMTPServerAddress, SMTPServerAuthentication } from 'smtp-server';
import type { Authenticate } from '../../access/authenticate-key.ts';
import type { Revocations } from '../../events/revocations.ts';
import { addressKey, type NamedAddress, parseAddress } from '../../kernel/address.ts';
import { toCredential } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { Rejection } from '../../outbound/gate/gate-check.ts';
import { MAX_RECIPIENTS } from '../../outbound/gate/gate-checks.ts';
import type { SendMail, SendOutcome } from '../../outbound/gate/send-request.ts';
import { findMessageByRfcId } from '../../store/mail/messages.ts';
import type { Store } from '../../store/store.ts';
import type { Connection, ListenerRules } from '../smtp/connection.ts';
import { createListener, type Listener } from '../smtp/listener.ts';
import { readDeclaredSize } from '../smtp/mail-path.ts';
import type { SmtpNeeds, SmtpSettings } from '../smtp/smtp-server.ts';
import type { Certificate } from '../smtp/tls-options.ts';
import { createLogin, type Submitter } from './login.ts';
import { readSubmittedHeader, sortRecipients } from './submitted-header.ts';

/**
 * Converts the send gate's rejection to an SMTP reply. The enhanced code (RFC 3463) says what the client can do about it;
 * the text has the interface's reason, as documented there.
 */
const toSmtpError = ({ reason, retryAt }: Rejection): SmtpError => {
  if (retryAt !== undefined) {
    return new SmtpError({ code: 450, enhanced: '4.7.1', text: `${reason}; not before ${isoTime(retryAt)}` });
  }
  if (reason.startsWith('too_many_recipients')) {
    // Not the 452 of RFC 5321 section 4.5.3.1.10, which invites the rest in another message: the limit is per message.
    const text = `A mail goes to at most ${MAX_RECIPIENTS} recipients, To, Cc and Bcc together (${reason})`;
    return new SmtpError({ code: 550, enhanced: '5.5.3', text });
  }
  if (reason.startsWith('attachments_too_large')) return new SmtpError({ code: 552, enhanced: '5.3.4', text: reason });
  return new SmtpError({ code: 550, enhanced: '5.7.1', text: reason });
};

export interface SubmissionSettings extends Omit<SmtpSettings, 'baseDomain'> {
  tls: Certificate;
  failedLoginsPerMinute: number;
  failedLoginDelaySeconds: number;
}

export interface SubmissionNeeds
  extends Pick<SmtpNeeds, 'clientLimits' | 'overload' | 'clock' | 'onError' | 'onRefused'> {
  revocations: Pick<Revocations, 'isLive'>;
  send: SendMail;
  authenticate: Authenticate;
  store: Store;
}

/** AUTH= names the original submitter (RFC 4954 section 5). It is accepted and ignored. */
const MAIL_PARAMETERS = new Set(['SIZE', 'BODY', 'SMTPUTF8', 'AUTH']);

export const createSubmissionServer = (settings: SubmissionSettings, needs: SubmissionNeeds): Listener => {
  const { limits, hostname, proxies, tls: certificate } = settings;
  const { clientLimits, overload, clock, store, send } = needs;
  const submitters = new WeakMap<Connection, Submitter>();
  const rules: ListenerRules = {
    limits,
    maxMessageBytes: settings.maxMessageBytes,
    clientLimits,
    clock,
    mailParameters: MAIL_PARAMETERS,
    onAdmitted: () => {},
  };
  const tryLogin = createLogin(
    {
      failedPerMinute: settings.failedLoginsPerMinute,
      failureDelaySeconds: settings.failedLoginDelaySeconds,
      isTrusted: clientLimits.isTrusted,
    },
    { read: store.read, authenticate: needs.authenticate, clock },
  );

  const login = async (connection: Connection, credentials: SMTPServerAuthentication): Promise<object> => {
    const submitter = await tryLogin(connection.remoteAddress, credentials);
    submitters.set(connection, submitter);
    return { address: submitter.agent.address };
  };

  /** Checks the key at each step: a revoked key sends nothing more, even in a session that is already open. */
  const requireSubmitter = async (connection: Connection): Promise<Submitter> => {
    const submitter = submitters.get(connection);
    if (!submitter) throw new SmtpError({ code: 530, enhanced: '5.7.0', text: 'Log in first' });
    if (await needs.revocations.isLive({ keyId: submitter.keyId, agentId: submitter.agent.id })) return submitter;
    throw new SmtpError({ code: 421, enhanced: '4.7.0', text: 'The key of this session has ended' });
  };

  const takeSender = async (connection: Connection, { address, args }: SMTPServerAddress): Promise<undefined> => {
    const { agent } = await requireSubmitter(connection);
    const sender = parseAddress(address);
    if (!sender || addressKey(sender) !== addressKey(agent.address)) {
      throw new SmtpError({ code: 550, enhanced: '5.7.1', text: `Send as <${agent.address}>, whose key this is` });
    }
    await overload.check();
    clientLimits.requireMemory(connection.remoteAddress, readDeclaredSize(args));
    clientLimits.countMessage(connection.remoteAddress);
  };

  const takeRecipient = async (_connection: Connection, { address }: SMTPServerAddress): Promise<undefined> => {
    if (!parseAddress(address)) {
      throw new SmtpError({ code: 553, enhanced: '5.1.3', text: 'The recipient is no mail address' });
    }
  };

  const takeMessage = async (connection: Connection, raw: Buffer): Promise<string> => {
    const { agent, mailboxId, keyId } = await requireSubmitter(connection);
    const header = readSubmittedHeader(raw, agent.address);
    const { inReplyTo } = header;
    const outcome = await send({
      agentId: agent.id,
      via: 'submission',
      credential: toCredential(keyId, false),
      ...sortRecipients(header, readRecipients(connection)),
      content: { kind: 'raw', raw },
      parent: inReplyTo ? await findMessageByRfcId(store.read, mailboxId, inReplyTo) : null,
    });
    return toReplyText(outcome);
  };

  return createListener(
    { hostname, implicitTls: true, certificate, proxies },
    rules,
    { login, takeSender, takeRecipient, takeMessage },
    needs.onError,
    needs.onRefused,
  );
};

const readRecipients = ({ session }: Connection): NamedAddress[] =>
  session.envelope.rcptTo.flatMap(({ address: text }) => {
    const address = parseAddress(text);
    return address ? [{ name: null, address }] : [];
  });

const toReplyText = (outcome: SendOutcome): string => {
  if (outcome.kind === 'rejected') throw toSmtpError(outcome);
  return outcome.kind === 'held' ? `Held for a person, as ${outcome.pendingId}` : `Taken as ${outcome.messageId}`;
};
