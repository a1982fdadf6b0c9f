/** Port 25: receives mail for the addresses of this instance (RFC 5321). */

import { setTimeout as delay } from 'node:timers/promises';
import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import type { Arrival, ResolvedRecipient } from '../../inbound/arrival.ts';
import { scoreClient } from '../../inbound/client-reputation.ts';
import type { Receive } from '../../inbound/receive.ts';
import type { ResolveRecipient } from '../../inbound/resolve-recipient.ts';
import { isMisleading, parseAddress, parseReceivedAddress } from '../../kernel/address.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { TlsFacts, TransmissionType } from '../../mail/header/trace-fields.ts';
import type { Iprev } from '../../net/dns/iprev.ts';
import type { ClientLimits, SmtpLimits } from './client-limits.ts';
import type { Connection, ListenerRules } from './connection.ts';
import { createListener, type Listener, type ListenerHandlers, type OnRefused } from './listener.ts';
import { readDeclaredSize } from './mail-path.ts';
import type { Overload } from './overload.ts';
import type { Certificate } from './tls-options.ts';

export interface SmtpSettings {
  hostname: string;
  baseDomain: string;
  maxMessageBytes: number;
  limits: SmtpLimits;
  proxies: readonly string[];
  /** Null: STARTTLS is not offered. */
  tls: Certificate | null;
}

export interface SmtpNeeds {
  resolveRecipient: ResolveRecipient;
  receive: Receive;
  clientLimits: ClientLimits;
  overload: Overload;
  clock: Clock;
  /** Never rejects. */
  checkIprev: (ip: string) => Promise<Iprev>;
  log: { info(fields: object, message: string): void };
  onRefused: OnRefused;
  onError: (error: unknown) => void;
}

/** State of one client's session. */
interface SessionState {
  readonly iprev: Promise<Iprev>;
  messages: number;
  unknownRecipients: number;
  /** Recipients of the current message, by address in lower case. */
  recipients: Map<string, ResolvedRecipient>;
}

const MAIL_PARAMETERS = new Set(['SIZE', 'BODY', 'SMTPUTF8']);
/** Longest wait for the iprev result once a message has been received. */
const IPREV_WAIT_MS = 2 * SECOND;

export const createSmtpServer = (settings: SmtpSettings, needs: SmtpNeeds): Listener => {
  const { limits, hostname } = settings;
  const { clientLimits, overload, clock } = needs;
  const sessions = new WeakMap<Connection, SessionState>();
  const sessionOf = (connection: Connection): SessionState => {
    const session = sessions.get(connection);
    if (!session) throw new Error('A connection that was not admitted.');
    return session;
  };
  const rules: ListenerRules = {
    limits,
    maxMessageBytes: settings.maxMessageBytes,
    clientLimits,
    clock,
    mailParameters: MAIL_PARAMETERS,
    onAdmitted: (connection) => {
      const iprev = needs.checkIprev(connection.remoteAddress);
      sessions.set(connection, { iprev, messages: 0, unknownRecipients: 0, recipients: new Map() });
    },
  };

  const takeSender = async (connection: Connection, { address, args }: SMTPServerAddress): Promise<undefined> => {
    const session = sessionOf(connection);
    const ip = connection.remoteAddress;
    const sender = parseReceivedAddress(address);
    if (address !== '' && (!sender || isMisleading(sender))) {
      throw new SmtpError({ code: 553, enhanced: '5.1.7', text: 'The sender is no mail address' });
    }
    if (session.messages >= limits.messages_per_connection && !clientLimits.isTrusted(ip)) {
      throw new SmtpError({ code: 421, enhanced: '4.7.0', text: 'Many messages in one connection, please come again' });
    }
    await overload.check();
    clientLimits.requireMemory(ip, readDeclaredSize(args));
    clientLimits.countMessage(ip);
    session.messages += 1;
    session.recipients = new Map();
  };

  const takeRecipient = async (connection: Connection, { address }: SMTPServerAddress): Promise<undefined> => {
    const session = sessionOf(connection);
    clientLimits.countRecipient(connection.remoteAddress);
    try {
      // postmaster is the only address accepted without a domain (RFC 5321 section 4.5.1).
      const parsed = parseAddress(
        address.toLowerCase() === 'postmaster' ? `${address}@${settings.baseDomain}` : address,
      );
      if (!parsed) throw new SmtpError({ code: 553, enhanced: '5.1.3', text: 'The recipient is no mail address' });
      session.recipients.set(address.toLowerCase(), await needs.resolveRecipient(parsed));
    } catch (error) {
      if (error instanceof SmtpError && error.responseCode >= 500) await delayUnknown(session);
      throw error;
    }
  };

  /** Delays, then closes, sessions with many unknown recipients (directory harvest). */
  const delayUnknown = async (session: SessionState): Promise<void> => {
    session.unknownRecipients += 1;
    if (session.unknownRecipients > limits.unknown_recipients) {
      throw new SmtpError({ code: 421, enhanced: '4.7.0', text: 'Too many unknown recipients' });
    }
    if (session.unknownRecipients <= limits.unknown_recipients_before_delay) return;
    await delay(limits.unknown_recipient_delay_seconds * SECOND, undefined, { ref: false });
  };

  const takeMessage = async (connection: Connection, raw: Buffer): Promise<undefined> => {
    const arrival = await toArrival(connection, raw);
    try {
      await needs.receive(arrival);
      overload.noteStored(true);
      clientLimits.noteDelivery(connection.remoteAddress);
    } catch (error) {
      // 4.3.1 means that the store could not write; any other refusal concerns the message or its mailbox.
      const isStoreFailure = !(error instanceof SmtpError) || error.enhanced === '4.3.1';
      overload.noteStored(!isStoreFailure);
      throw error;
    }
  };

  const toArrival = async (connection: Connection, raw: Buffer): Promise<Arrival> => {
    const { session } = connection;
    const { mailFrom, rcptTo } = session.envelope;
    const { recipients, iprev: lookup } = sessionOf(connection);
    const reverse = await withinTime(lookup);
    const ip = session.remoteAddress;
    const helo = session.hostNameAppearsAs || '';
    const localNames = [hostname, settings.baseDomain];
    const clientReputation = scoreClient({
      ip,
      helo,
      talkedEarly: clientLimits.isEarlyTalker(ip),
      reverse,
      localNames,
    });
    const envelope = {
      kind: 'smtp' as const,
      mailFrom: mailFrom ? mailFrom.address : '',
      soleRecipient: rcptTo.length === 1 ? (rcptTo[0]?.address ?? null) : null,
      ip,
      helo,
      iprevName: reverse.state === 'confirmed' ? reverse.name : null,
      protocol: toTransmissionType(session),
      tls: toTlsFacts(session),
      sessionId: session.id,
      at: clock.now(),
    };
    const about = { session: session.id, ip, helo, name: reverse.name, from: envelope.mailFrom, bytes: raw.length };
    needs.log.info(
      { ...about, recipients: rcptTo.length, clientReputation: clientReputation.found, score: clientReputation.score },
      'mail in',
    );
    const named = rcptTo.flatMap(({ address }) => recipients.get(address.toLowerCase()) ?? []);
    return {
      raw,
      recipients: deduplicate(named),
      envelope,
      quotaSubject: clientLimits.quotaSubjectAt(ip),
    };
  };

  const handlers: ListenerHandlers = { takeSender, takeRecipient, takeMessage };
  const { proxies, tls: certificate } = settings;
  return createListener(
    { hostname, implicitTls: false, certificate, proxies },
    rules,
    handlers,
    needs.onError,
    needs.onRefused,
  );
};

/** The library's transmission type, with the UTF8 prefix of RFC 6531 section 4.3 where MAIL had SMTPUTF8. */
const toTransmissionType = ({ transmissionType, envelope }: SMTPServerSession): TransmissionType =>
  (envelope.smtpUtf8 ? transmissionType.replace(/^E/, 'UTF8') : transmissionType) as TransmissionType;

const toTlsFacts = ({ tlsOptions }: SMTPServerSession): TlsFacts | null =>
  tlsOptions ? { version: tlsOptions.version, cipher: tlsOptions.standardName } : null;

/** Removes recipients that resolve alike: one copy per mailbox, per owner, and per delivery of a return path. */
const deduplicate = (recipients: ResolvedRecipient[]): ResolvedRecipient[] => [
  ...new Map(recipients.map((each) => [`${each.kind} ${each.recipient.mailboxId} ${copyKey(each)}`, each])).values(),
];

const copyKey = (recipient: ResolvedRecipient): string => {
  if (recipient.kind === 'role') return recipient.ownerEmail ?? '';
  return recipient.kind === 'return-path' ? recipient.deliveryId : '';
};

/** Resolves with the iprev result, or as unknown after 2 s. `lookup` never rejects. */
const withinTime = (lookup: Promise<Iprev>): Promise<Iprev> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ state: 'unknown', name: null }), IPREV_WAIT_MS);
    lookup.then((found) => {
      clearTimeout(timer);
      resolve(found);
    });
  });
