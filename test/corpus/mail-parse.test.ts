/** Every message of the public corpora is read, in time and without a throw; where a parse stands beside it, they agree. */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t from 'tap';
import { parseMail } from '../../src/mail/mime/parse-message.ts';
import { readReply } from '../../src/mail/text/reply-text.ts';
import { toSnippet } from '../../src/mail/text/snippet.ts';
import { processorMs } from '../harness/processor-ms.ts';

const DATA = process.env.POSTROOM_TEST_DATA ?? resolve(import.meta.dirname, '../../../shared/data');
const SLOW_MS = 5000;
const missing = existsSync(DATA)
  ? false
  : `no corpora at ${DATA}: set POSTROOM_TEST_DATA to the folder that holds them`;

const filesOf = async (folder: string): Promise<string[]> => {
  const names = await readdir(join(DATA, folder), { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && /\.(eml|txt|msg)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
};

interface ExpectedAddress {
  address?: string | null;
}
interface ExpectedHeader {
  name: string;
  value: {
    Text?: string;
    Address?: { List?: ExpectedAddress[]; Group?: { addresses: ExpectedAddress[] }[] };
  };
}

/** The last field of a name, which is the one that counts here as there. */
const expectedHeader = (headers: ExpectedHeader[], name: string): ExpectedHeader['value'] | undefined =>
  headers.findLast((header) => header.name === name)?.value;

/** Where we read otherwise, and why. */
const EXCEPTIONS: Record<string, string> = {
  'mail-parser-stalwart/thirdparty/007.eml':
    'From: moderator has no domain, so it is no address that anything could be done with',
};

t.test('mails of every kind', { skip: missing }, async (t) => {
  for (const folder of ['mail-parser-stalwart', 'zbateson', 'cpython-email']) {
    const files = await filesOf(folder);
    t.ok(files.length > 20, `${folder} has messages`);
    for (const file of files) {
      const raw = await readFile(file);
      const started = processorMs();
      const mail = await parseMail(raw);
      readReply(mail.text);
      toSnippet(mail.text);
      t.ok(processorMs() - started < SLOW_MS, `${file} in time`);
      for (const { filename } of mail.attachments) t.match(filename, /^[^/\\\p{Cc}]+$/u, `${file}: a plain file name`);
      t.equal(new Set(mail.attachments.map(({ filename }) => filename)).size, mail.attachments.length);
    }
  }
});

t.test('agrees with stalwart on From and Subject', { skip: missing }, async (t) => {
  let compared = 0;
  for (const file of await filesOf('mail-parser-stalwart')) {
    const beside = file.replace(/\.eml$/, '.json');
    if (!existsSync(beside)) continue;
    const name = file.slice(DATA.length + 1);
    const expected: { parts: { headers: ExpectedHeader[] }[] } = JSON.parse(await readFile(beside, 'utf8'));
    const headers = expected.parts[0]?.headers ?? [];
    const mail = await parseMail(await readFile(file));
    if (EXCEPTIONS[name] !== undefined) {
      t.pass(`${name}: ${EXCEPTIONS[name]}`);
      continue;
    }
    const from = expectedHeader(headers, 'from')?.Address;
    const addresses = from?.List ?? from?.Group?.flatMap((group) => group.addresses) ?? [];
    t.same(
      mail.from.map(({ address }) => address.toLowerCase()),
      addresses.flatMap(({ address }) => (address ? [address.toLowerCase()] : [])),
      `${name}: From`,
    );
    const subject = expectedHeader(headers, 'subject')?.Text ?? '';
    t.equal(mail.subject, subject.replace(/\s+/g, ' ').trim(), `${name}: Subject`);
    compared += 1;
  }
  t.ok(compared > 20, 'compared a good part of them');
});
