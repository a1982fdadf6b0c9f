/** Mail put into the queue by an agent, and what the queue made of it. */

import { parseId } from '../../../src/kernel/ids.ts';
import { listDeliveriesOf } from '../../../src/store/sending/deliveries.ts';
import type { TestInstance } from '../instance.ts';
import type { ScriptedHost } from './scripted-host.ts';
import { eventually } from './send-mail.ts';

/** Sends as Ann; resolves with the message's id once it is accepted. */
export const send = async (instance: TestInstance, to: string[], subject = 'Hi'): Promise<string> => {
  const sent = await instance.client(instance.agents.ann).messages.send({ to, subject, body: `About ${subject}` });
  if (!sent.messageId) throw new Error(`Not accepted: ${JSON.stringify(sent)}`);
  return sent.messageId;
};
/** Sends `count` recipients in mails of five; resolves with the mails' ids. */
export const sendMany = (instance: TestInstance, count: number, domain: string): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count / 5 }, (_, mail) =>
      send(
        instance,
        Array.from({ length: 5 }, (_, at) => `r${mail * 5 + at}@${domain}`),
        `Mail ${mail} to ${domain}`,
      ),
    ),
  );
export const deliveriesOf = (instance: TestInstance, messageId: string) => {
  const id = parseId<'message'>(messageId);
  if (!id) throw new Error(`${messageId} is no id`);
  return instance.inStore(({ read }) => listDeliveriesOf(read, id));
};
export const attempted = (instance: TestInstance, messageId: string) =>
  eventually(async () => {
    const deliveries = await deliveriesOf(instance, messageId);
    return (
      deliveries.every(({ attempting, attempts, response }) => attempts > 0 && !attempting && response) && deliveries
    );
  });

export const subjects = ({ messages }: ScriptedHost): string[] =>
  messages.map((message) => /^Subject: (.*)$/m.exec(message)?.[1]?.trim() ?? '');
export const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

/** Makes a host, by its name and address, the MX of domains. */
export const point = ({ dns: { zone } }: TestInstance, host: string, address: string, ...domains: string[]): void => {
  zone.set(host, 'A', [address]);
  for (const domain of domains) zone.set(domain, 'MX', [{ exchange: host, priority: 10 }]);
};
