/** A mail that is sent once, and what became of it at either end. */

import { parseId } from '../../src/kernel/ids.ts';
import { type Delivery, listDeliveriesOf } from '../../src/store/sending/deliveries.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestInstance } from '../harness/instance.ts';
import type { ScriptedHost, Step } from '../harness/smtp/scripted-host.ts';
import { eventually } from '../harness/smtp/send-mail.ts';

export const PHASES: readonly Step[] = ['CONNECT', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'BODY', 'END', 'AFTER'];
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Ann's; resolves with the message's id once it is accepted. */
export const send = async (instance: TestInstance, subject = 'Once'): Promise<string> => {
  const client = instance.client(instance.agents.ann);
  const { messageId } = await client.messages.send({ to: ['carol@remote.test'], subject, body: 'Once' });
  return messageId ?? '';
};

const findDelivery = async ({ read }: Store, messageId: string): Promise<Delivery | undefined> => {
  const id = parseId<'message'>(messageId);
  return id ? (await listDeliveriesOf(read, id))[0] : undefined;
};

/** The delivery of a message, read beside the daemon. */
export const deliveryOf = (instance: TestInstance, messageId: string): Promise<Delivery | undefined> =>
  instance.inStore((store) => findDelivery(store, messageId));

/** Once it has come to that; the data is opened once, and asked again and again. */
export const deliveryWhen = (
  instance: TestInstance,
  messageId: string,
  status: Delivery['status'],
): Promise<Delivery> =>
  instance.inStore((store) =>
    eventually(async () => {
      const delivery = await findDelivery(store, messageId);
      return delivery?.status === status && delivery;
    }),
  );

export const delivered = (instance: TestInstance, messageId: string): Promise<Delivery> =>
  deliveryWhen(instance, messageId, 'delivered');

/** How often a mail has come. */
export const copies = ({ messages }: ScriptedHost, subject = 'Once'): number =>
  messages.filter((message) => new RegExp(`^Subject: ${subject}\r$`, 'm').test(message)).length;
