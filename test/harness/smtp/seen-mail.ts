/** Mails of chosen content, and how an agent reads them. */

import type { TestInstance } from '../instance.ts';
import { plainMail, sendMail } from './send-mail.ts';

type Ann = ReturnType<TestInstance['client']>;
type Message = Awaited<ReturnType<Ann['messages']['get']>>;

/** Sends a mail to Ann and reads it as it was stored. */
export const receive = async (instance: TestInstance, raw: string | Buffer): Promise<Message> => {
  const ann = instance.client(instance.agents.ann);
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], raw });
  const id = (await ann.messages.list({})).messages[0]?.id ?? '';
  return ann.messages.get({ id });
};

export const htmlMail = (html: string, charset = '; charset=utf-8'): string =>
  plainMail({ headers: { 'Content-Type': `text/html${charset}` }, text: html });

export const partsMail = (type: string, parts: readonly string[], fields: Record<string, string> = {}): string =>
  plainMail({
    headers: { ...fields, 'MIME-Version': '1.0', 'Content-Type': `multipart/${type}; boundary=parting` },
    text: `${parts.map((part) => `--parting\n${part}\n`).join('')}--parting--`,
  });

export const latin1Mail = (headers: Record<string, string>, body: string): Buffer =>
  Buffer.from(plainMail({ headers, text: body }), 'latin1');
