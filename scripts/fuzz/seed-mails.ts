/** Messages that mutations begin with: the public corpora where they are there, and some of our own in any case. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CORPORA = process.env.POSTROOM_TEST_DATA ?? resolve(import.meta.dirname, '../../../shared/data');
const FOLDERS = [
  'mail-parser-stalwart',
  'zbateson',
  'cpython-email',
  'flanker-bounce',
  'sisimai',
  'stalwart-mail-auth',
];
/** Larger ones are slow to mutate and seldom better. */
const MAX_BYTES = 64 * 1024;

const HEAD = 'From: Carol <carol@remote.test>\r\nTo: ann@acme.agents.box.test\r\nSubject: A question\r\n';
const OWN = [
  `${HEAD}\r\nHello.\r\n`,
  `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Hello <b>there</b></p>\r\n--b\r\nContent-Type: application/pdf; name="a.pdf"\r\nContent-Disposition: attachment; filename="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK\r\n--b--\r\n`,
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=remote.test; s=s; h=from:to; bh=YQ==; b=YQ==\r\n${HEAD}\r\nHello.\r\n`,
];

/** With CRLF; in an order that does not depend on the machine. */
export const readSeedMails = (): Buffer[] => {
  const files = FOLDERS.map((folder) => join(CORPORA, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(eml|txt|msg)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    .sort();
  const found = files.map((file) => readFileSync(file, 'latin1')).filter((text) => text.length <= MAX_BYTES);
  return [...OWN, ...found].map((text) => Buffer.from(text.replace(/\r\n|\r|\n/g, '\r\n'), 'latin1'));
};
