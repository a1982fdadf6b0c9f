/** One attempt at one delivery to the hosts that its domain names. */

import { domainOf } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Replies } from '../kernel/replies.ts';
import { makeReturnPath } from '../mail/return-path.ts';
import type { SigningKey } from '../mail/sign.ts';
import { isPrivateAddress } from '../net/address-range.ts';
import { type MailHost, mailHosts } from '../net/mx.ts';
import type { Resolver } from '../net/resolver.ts';
import { openSession, SmtpSession } from '../net/smtp-client.ts';
import type { Delivery } from '../store/deliveries.ts';
import { findMessage, type StoredMessage } from '../store/messages.ts';
import { findRawMessage } from '../store/raw-messages.ts';
import type { Db } from '../store/store.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { type AttemptEnd, endedBefore, endOfSession } from './outcome.ts';

export interface AttemptNeeds {
  read: Db;
  workers: WorkerPool;
  clock: Clock;
  replies: Replies;
  resolver: Resolver;
  /** The keys that sign for a domain; throws where they cannot be opened (the vault's key is missing). */
  signingKeys: (domain: string) => Promise<SigningKey[]>;
  returnPathKey: Buffer;
  /** Our name in EHLO. */
  hostname: string;
  port: number;
  /** Private addresses that may be reached all the same. */
  isAllowedPrivate: (ip: string) => boolean;
}

export const attempt = async (needs: AttemptNeeds, delivery: Delivery): Promise<AttemptEnd> => {
  const message = await findMessage(needs.read, delivery.mailboxId, delivery.messageId);
  if (!message) return endedBefore('permanent', 'The message is no longer stored');
  const hosts = await route(needs, delivery);
  if (!Array.isArray(hosts)) return hosts;
  const raw = await signedBytes(needs, message);
  return raw instanceof Error ? endedBefore('retry', raw.message) : overHosts(needs, delivery, message, hosts, raw);
};

interface Host {
  name: string;
  address: string;
}

const flatten = (hosts: readonly MailHost[]): Host[] =>
  hosts.flatMap(({ name, addresses }) => addresses.map((address) => ({ name, address })));

const route = async (
  { resolver, isAllowedPrivate }: AttemptNeeds,
  { domain }: Delivery,
): Promise<Host[] | AttemptEnd> => {
  const found = await mailHosts(domain, resolver);
  switch (found.kind) {
    case 'temporary':
      return endedBefore('retry', found.reason);
    case 'no-such-domain':
      return endedBefore('permanent', 'This domain does not exist, or has no mail server', '5.1.2');
    case 'null-mx':
      return endedBefore('permanent', 'This domain takes no mail (RFC 7505)', '5.1.10');
    case 'hosts': {
      const reachable = flatten(found.hosts).filter(
        ({ address }) => !isPrivateAddress(address) || isAllowedPrivate(address),
      );
      if (reachable.length > 0) return reachable;
      // A stranger's DNS shall not point us into the network we stand in.
      return endedBefore('permanent', 'The mail servers of this domain have private addresses alone', '5.4.4');
    }
  }
};

/** The bytes that go out. Signed at every attempt, so that a key taken out of use signs no more. */
const signedBytes = async (
  { read, workers, clock, signingKeys }: AttemptNeeds,
  message: StoredMessage,
): Promise<Buffer | Error> => {
  const stored = await findRawMessage(read, message.rawId);
  if (!stored) return new Error('The bytes of this message are not stored');
  try {
    const keys = await signingKeys(domainOf(message.from.address));
    return Buffer.from(await workers.run({ kind: 'sign', mime: stored.mime, keys, now: clock.now() }));
  } catch (cause) {
    return new Error('The message could not be signed; see `postroom doctor`', { cause });
  }
};

/** The hosts in turn, until one gives a reply: only where none can be reached does the attempt end without. */
const overHosts = async (
  needs: AttemptNeeds,
  delivery: Delivery,
  message: StoredMessage,
  hosts: Host[],
  raw: Buffer,
): Promise<AttemptEnd> => {
  const mailFrom = makeReturnPath({
    key: needs.returnPathKey,
    domain: domainOf(message.from.address),
    deliveryId: delivery.id,
  });
  let end = endedBefore('retry', 'No mail server of this domain could be reached');
  for (const host of hosts) {
    const { hostname: localName, port } = needs;
    const opened = await openSession({ host, port, localName, tls: { kind: 'opportunistic' } });
    const reply =
      opened instanceof SmtpSession ? await opened.deliver({ mailFrom, recipient: delivery.address, raw }) : opened;
    if (opened instanceof SmtpSession) void opened.quit();
    end = endOfSession(reply, host.name, needs.replies);
    // Once the bytes have left, the next host might deliver them a second time.
    if (reply.kind !== 'unreachable' || reply.phase === 'final') break;
  }
  return end;
};
