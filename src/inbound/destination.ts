/** RCPT: what an address of ours stands for, or why mail to it is refused. */

import { type Address, domainOf, localPartOf } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import { SmtpError } from '../kernel/errors.ts';
import type { DeliveryId } from '../kernel/ids.ts';
import { isReturnPath, readReturnPath } from '../mail/return-path.ts';
import { findDelivery } from '../store/deliveries.ts';
import { findRecipient, findRecipientByMailbox, isOwnDomain } from '../store/recipients.ts';
import type { Db } from '../store/store.ts';
import type { Destination } from './arrival.ts';

export type FindDestination = (address: Address) => Promise<Destination>;

const noSuchMailbox = () => new SmtpError({ code: 550, enhanced: '5.1.1', text: 'No such mailbox here' });

/** @throws SmtpError with the reply that RCPT gets */
export const createFindDestination =
  (db: Db, clock: Clock, returnPathKey: Buffer): FindDestination =>
  async (address) => {
    if (isReturnPath(localPartOf(address))) return findReturnPath(db, returnPathKey, address);
    const recipient = await findRecipient(db, address);
    if (!recipient) {
      if (await isOwnDomain(db, domainOf(address))) throw noSuchMailbox();
      throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'We do not relay mail for this domain' });
    }
    const expired = recipient.expiresAt !== null && recipient.expiresAt <= clock.now();
    if (expired || recipient.status !== 'active') {
      throw new SmtpError({ code: 550, enhanced: '5.2.1', text: 'This mailbox takes no mail' });
    }
    return { kind: 'mailbox', recipient };
  };

const findReturnPath = async (db: Db, key: Buffer, address: Address): Promise<Destination> => {
  const token = readReturnPath(key, address);
  const delivery = token && (await findDelivery(db, token.deliveryId as DeliveryId));
  const recipient = delivery && (await findRecipientByMailbox(db, delivery.mailboxId));
  if (!delivery || !recipient) throw noSuchMailbox();
  return { kind: 'return-path', recipient, deliveryId: delivery.id };
};
