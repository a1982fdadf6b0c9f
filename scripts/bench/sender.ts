/** The sender of the mail benches: a domain that publishes SPF, DKIM and DMARC, and mails of 4 KB of prose from it. */

import { dkimRecord, generateDkimKey } from '../../src/mail/auth/dkim-key.ts';
import { sign } from '../../src/mail/auth/dkim-sign.ts';
import { iprevName, type Zone } from '../../test/harness/net/dns.ts';

export const BODY_BYTES = 4096;
const DOMAIN = 'sender.test';
const CLIENT_NAME = 'client.sender.test';
export const SENDER = `load@${DOMAIN}`;
const SELECTOR = 's1';
const WORDS = 5000;
/** One word in so many is of its mail alone, as names, numbers and addresses are. */
const OWN_WORDS = 15;

export interface Sender {
  /**
   * Mails of prose with words of their own, CRLF, dots not yet doubled.
   * @param last a word that the last one's subject has beside those of all
   */
  write(count: number, to: string, subject: string, isSigned: boolean, last?: string): Promise<Buffer[]>;
}

/** Text as an index meets it: some words often, most seldom, a few in no other mail; the same in every run. */
export const prose = (bytes: number, seed: number): string => {
  let state = Math.imul(seed, 2654435761) ^ 42;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let text = '';
  let line = '';
  while (text.length + line.length < bytes) {
    const isOwn = Math.floor(random() * OWN_WORDS) === 0;
    const word = Math.floor(isOwn ? random() * 36 ** 6 : random() ** 3 * WORDS).toString(36);
    line += `${[...word].map((digit) => 'aeioubcdfghklmnprstvwz'[Number.parseInt(digit, 36) % 22]).join('')}${word} `;
    if (line.length < 70) continue;
    text += `${line.trimEnd()}\r\n`;
    line = '';
  }
  return text;
};

/** Publishes the domain in a zone. */
export const createSender = async (zone: Zone): Promise<Sender> => {
  const algorithm = 'rsa-sha256';
  const { privateKey, publicKey } = await generateDkimKey(algorithm);
  zone.set(DOMAIN, 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  zone.set(`_dmarc.${DOMAIN}`, 'TXT', ['v=DMARC1; p=reject']);
  zone.set(`${SELECTOR}._domainkey.${DOMAIN}`, 'TXT', [dkimRecord({ algorithm, publicKey })]);
  zone.set(CLIENT_NAME, 'A', ['127.0.0.1']);
  zone.set(iprevName('127.0.0.1'), 'PTR', [CLIENT_NAME]);
  let seed = 1;
  const writeOne = async (to: string, subject: string, number: number, isSigned: boolean): Promise<Buffer> => {
    const fields = {
      From: `A sender <${SENDER}>`,
      To: to,
      Subject: subject,
      Date: new Date().toUTCString().replace('GMT', '+0000'),
      'Message-ID': `<${number}@${DOMAIN}>`,
      'MIME-Version': '1.0',
      'Content-Type': 'text/plain; charset=utf-8',
    };
    const header = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const mail = Buffer.from(`${header.join('')}\r\n${prose(BODY_BYTES, number)}`);
    return isSigned ? sign(mail, [{ algorithm, domain: DOMAIN, selector: SELECTOR, privateKey }], Date.now()) : mail;
  };
  return {
    write: async (count, to, subject, isSigned, last = '') => {
      const mails: Buffer[] = [];
      for (let n = 1; n <= count; n += 1) {
        mails.push(await writeOne(to, n < count ? subject : `${subject} ${last}`.trim(), seed++, isSigned));
      }
      return mails;
    },
  };
};
