/** Ordinary mail, by which is measured what reading costs. */

import type { TestInstance } from '../instance.ts';
import { sendMail } from '../smtp/send-mail.ts';

export const TEXT =
  'Hello Ann,\n\nthank you for the offer. We would like to take the second one, with delivery on the 14th of ' +
  'December, if that still works for you. Could you confirm the price of 1 240 EUR and send the invoice to our ' +
  'accounting?\n\nKind regards,\nBob Miller\n';
const PEOPLE = ['Bob Miller <bob.miller@remote.test>', 'Carol Diaz <carol@remote.test>', 'Dave <dave.j@remote.test>'];

export const fillMailbox = async (instance: TestInstance, mails: number): Promise<void> => {
  const { address } = instance.agents.ann;
  for (let index = 0; index < mails; index += 1) {
    const headers = {
      From: PEOPLE[index % 3] ?? '',
      To: `Ann <${address}>`,
      Subject: `Your offer ${index} of last Tuesday`,
    };
    await sendMail(instance.smtpPort, { to: [address], headers, text: TEXT });
  }
};
