/** The sender of the mail benches: a domain that publishes SPF, DKIM and DMARC, and mails of 4 KB from it. */

import { writeFileSync } from 'node:fs';
import { dkimRecord, generateDkimKey } from '../../src/mail/auth/dkim-key.ts';
import { sign } from '../../src/mail/auth/dkim-sign.ts';
import { iprevName, type Zone } from '../../test/harness/net/dns.ts';

export const BODY_BYTES = 4096;
const DOMAIN = 'sender.test';
const CLIENT_NAME = 'client.sender.test';
export const SENDER = `load@${DOMAIN}`;
const SELECTOR = 's1';
const WORDS = 5000;

export interface Sender {
  /** Writes a DKIM-signed mail of prose as smtp-source takes it, with bare LF. */
  writeSigned(path: string, to: string, subject: string): Promise<void>;
}

/** Text as an index meets it: some words often, most seldom, and the same in every run. */
const prose = (bytes: number): string => {
  let state = 42;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let text = '';
  let line = '';
  while (text.length + line.length < bytes) {
    const word = Math.floor(random() ** 3 * WORDS).toString(36);
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
  const body = prose(BODY_BYTES);
  return {
    writeSigned: async (path, to, subject) => {
      const fields = {
        From: `A sender <${SENDER}>`,
        To: to,
        Subject: subject,
        Date: new Date().toUTCString().replace('GMT', '+0000'),
        'Message-ID': `<${subject}@${DOMAIN}>`,
        'MIME-Version': '1.0',
        'Content-Type': 'text/plain; charset=utf-8',
      };
      const header = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      const key = { algorithm, domain: DOMAIN, selector: SELECTOR, privateKey } as const;
      const signed = await sign(Buffer.from(`${header.join('')}\r\n${body}`), [key], Date.now());
      writeFileSync(path, signed.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
    },
  };
};
