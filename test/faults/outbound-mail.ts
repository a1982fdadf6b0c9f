/** A mail that is sent once, and what became of it at either end. */

import { parseId } from '../../src/kernel/ids.ts';
import { type Delivery, listDeliveriesOf } from '../../src/store/sending/deliveries.ts';
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

/** The delivery of a message, read beside the daemon. */
export const deliveryOf = (instance: TestInstance, messageId: string): Promise<Delivery | undefined> =>
  instance.inStore(async ({ read }) => {
    const id = parseId<'message'>(messageId);
    return id ? (await listDeliveriesOf(read, id))[0] : undefined;
  });

export const delivered = (instance: TestInstance, messageId: string): Promise<Delivery> =>
  eventually(async () => {
    const delivery = await deliveryOf(instance, messageId);
    return delivery?.status === 'delivered' && delivery;
  });

/** How often a mail has come. */
export const copies = ({ messages }: ScriptedHost, subject = 'Once'): number =>
  messages.filter((message) => new RegExp(`^Subject: ${subject}\r$`, 'm').test(message)).length;
