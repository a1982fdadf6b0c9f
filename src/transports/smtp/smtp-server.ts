/** Port 25: mail from the world to the addresses of this box. */

import { setTimeout as delay } from 'node:timers/promises';
import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import type { Arrival, ResolvedRecipient } from '../../inbound/arrival.ts';
import { scoreClient } from '../../inbound/client-reputation.ts';
import type { Receive } from '../../inbound/receive.ts';
import type { ResolveRecipient } from '../../inbound/resolve-recipient.ts';
import { parseAddress } from '../../kernel/address.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { TlsFacts, TransmissionType } from '../../mail/header/trace-fields.ts';
import type { Iprev } from '../../net/dns/iprev.ts';
import type { Connection, ListenerRules } from './connection.ts';
import { createListener, type Listener, type ListenerHandlers } from './listener.ts';
import { announcedBytes } from './mail-path.ts';
import type { Overload } from './overload.ts';
import type { Certificate } from './tls-options.ts';
import type { SmtpLimits, Traffic } from './traffic.ts';

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
  traffic: Traffic;
  overload: Overload;
  clock: Clock;
  /** Never rejects. */
  checkIprev: (ip: string) => Promise<Iprev>;
  log: { info(fields: object, message: string): void };
  onError: (error: unknown) => void;
}

/** What is known of a client, and what it has asked for so far. */
interface Visit {
  readonly reverse: Promise<Iprev>;
  messages: number;
  unknownRecipients: number;
  /** Of the mail under way, by address. */
  recipients: Map<string, ResolvedRecipient>;
}

const MAIL_PARAMETERS = new Set(['SIZE', 'BODY', 'SMTPUTF8']);
/** A name that DNS has not told when the mail is in is waited for no longer. */
const REVERSE_WAIT_MS = 2 * SECOND;

export const createSmtpServer = (settings: SmtpSettings, needs: SmtpNeeds): Listener => {
  const { limits, hostname } = settings;
  const { traffic, overload, clock } = needs;
  const visits = new WeakMap<Connection, Visit>();
  const visitOf = (connection: Connection): Visit => {
    const visit = visits.get(connection);
    if (!visit) throw new Error('A connection that was not let in.');
    return visit;
  };
  const rules: ListenerRules = {
    limits,
    maxMessageBytes: settings.maxMessageBytes,
    traffic,
    clock,
    mailParameters: MAIL_PARAMETERS,
    onAdmitted: (connection) => {
      const reverse = needs.checkIprev(connection.remoteAddress);
      visits.set(connection, { reverse, messages: 0, unknownRecipients: 0, recipients: new Map() });
    },
  };

  const takeSender = async (connection: Connection, { address, args }: SMTPServerAddress): Promise<undefined> => {
    const visit = visitOf(connection);
    const ip = connection.remoteAddress;
    if (address !== '' && !parseAddress(address)) {
      throw new SmtpError({ code: 553, enhanced: '5.1.7', text: 'The sender is no mail address' });
    }
    if (visit.messages >= limits.messages_per_connection && !traffic.isTrusted(ip)) {
      throw new SmtpError({ code: 421, enhanced: '4.7.0', text: 'Many messages in one connection, please come again' });
    }
    await overload.check();
    traffic.requireRoom(ip, announcedBytes(args));
    traffic.countMessage(ip);
    visit.messages += 1;
    visit.recipients = new Map();
  };

  const takeRecipient = async (connection: Connection, { address }: SMTPServerAddress): Promise<undefined> => {
    const visit = visitOf(connection);
    traffic.countRecipient(connection.remoteAddress);
    try {
      // RFC 5321 section 4.5.1: the one address that may come without a domain.
      const parsed = parseAddress(
        address.toLowerCase() === 'postmaster' ? `${address}@${settings.baseDomain}` : address,
      );
      if (!parsed) throw new SmtpError({ code: 553, enhanced: '5.1.3', text: 'The recipient is no mail address' });
      visit.recipients.set(address.toLowerCase(), await needs.resolveRecipient(parsed));
    } catch (error) {
      if (error instanceof SmtpError && error.responseCode >= 500) await slowDown(visit);
      throw error;
    }
  };

  /** Who guesses addresses learns them ever more slowly, and soon no more. */
  const slowDown = async (visit: Visit): Promise<void> => {
    visit.unknownRecipients += 1;
    if (visit.unknownRecipients > limits.unknown_recipients) {
      throw new SmtpError({ code: 421, enhanced: '4.7.0', text: 'Too many unknown recipients' });
    }
    if (visit.unknownRecipients <= limits.unknown_recipients_before_delay) return;
    await delay(limits.unknown_recipient_delay_seconds * SECOND, undefined, { ref: false });
  };

  const takeMessage = async (connection: Connection, raw: Buffer): Promise<undefined> => {
    const arrival = await arrivalOf(connection, raw);
    try {
      await needs.receive(arrival);
      overload.noteStored(true);
    } catch (error) {
      // 452 is the reply of a store that could not write; any other refusal is about the mail.
      const isStores = !(error instanceof SmtpError) || error.responseCode === 452;
      overload.noteStored(!isStores);
      throw error;
    }
  };

  const arrivalOf = async (connection: Connection, raw: Buffer): Promise<Arrival> => {
    const { session } = connection;
    const { mailFrom, rcptTo } = session.envelope;
    const { recipients, reverse: lookup } = visitOf(connection);
    const reverse = await withinTime(lookup);
    const ip = session.remoteAddress;
    const helo = session.hostNameAppearsAs || '';
    const localNames = [hostname, settings.baseDomain];
    const clientReputation = scoreClient({ ip, helo, talkedEarly: traffic.isEarlyTalker(ip), reverse, localNames });
    const envelope = {
      kind: 'smtp' as const,
      mailFrom: mailFrom ? mailFrom.address : '',
      soleRecipient: rcptTo.length === 1 ? (rcptTo[0]?.address ?? null) : null,
      ip,
      helo,
      iprevName: reverse.state === 'confirmed' ? reverse.name : null,
      protocol: protocolOf(session),
      tls: tlsOf(session),
      sessionId: session.id,
      at: clock.now(),
    };
    const about = { session: session.id, ip, helo, name: reverse.name, from: envelope.mailFrom, bytes: raw.length };
    needs.log.info(
      { ...about, recipients: rcptTo.length, clientReputation: clientReputation.found, score: clientReputation.score },
      'mail in',
    );
    const named = rcptTo.flatMap(({ address }) => recipients.get(address.toLowerCase()) ?? []);
    return { raw, recipients: oneEach(named), envelope, occupant: traffic.occupantAt(ip), clientReputation };
  };

  const handlers: ListenerHandlers = { takeSender, takeRecipient, takeMessage };
  const { proxies, tls: certificate } = settings;
  return createListener({ hostname, implicitTls: false, certificate, proxies }, rules, handlers, needs.onError);
};

/** The library's word, and RFC 6531's where the client asked for SMTPUTF8. */
const protocolOf = ({ transmissionType, envelope }: SMTPServerSession): TransmissionType =>
  (envelope.smtpUtf8 ? transmissionType.replace(/^E/, 'UTF8') : transmissionType) as TransmissionType;

const tlsOf = ({ tlsOptions }: SMTPServerSession): TlsFacts | null =>
  tlsOptions ? { version: tlsOptions.version, cipher: tlsOptions.standardName } : null;

/** One mailbox named by several of its addresses gets one copy; so does one owner, and what is told of one delivery. */
const oneEach = (recipients: ResolvedRecipient[]): ResolvedRecipient[] => [
  ...new Map(recipients.map((each) => [`${each.kind} ${each.recipient.mailboxId} ${whatFor(each)}`, each])).values(),
];

const whatFor = (destination: ResolvedRecipient): string => {
  if (destination.kind === 'role') return destination.ownerEmail ?? '';
  return destination.kind === 'return-path' ? destination.deliveryId : '';
};

/** `lookup` never rejects. */
const withinTime = (lookup: Promise<Iprev>): Promise<Iprev> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ state: 'unknown', name: null }), REVERSE_WAIT_MS);
    lookup.then((found) => {
      clearTimeout(timer);
      resolve(found);
    });
  });
