/** Mails of one text are read without mailparser. Every message of the corpora is read the same with it. */

import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readMessage } from '../../src/mail/header/message-header.ts';
import { readParts } from '../../src/mail/mime/mime-parts.ts';
import { PARSE_LIMITS } from '../../src/mail/mime/parse-message.ts';
import { readSingleText } from '../../src/mail/text/single-text.ts';
import { corpusName, MAIL_FOLDERS, messageFiles, missingCorpora } from './corpora.ts';

/** A field that says nothing, and with which no mail takes the short way. */
const INLINE = { name: 'Content-Disposition', key: 'content-disposition', value: 'inline' };

t.test('a mail of one text has the same parts either way', { skip: missingCorpora }, async (t) => {
  const paths = (await Promise.all(MAIL_FOLDERS.map(messageFiles))).flat();
  let count = 0;
  for (const path of paths) {
    const { fields, body } = readMessage(await readFile(path));
    if (!readSingleText(fields, body, [])) continue;
    count += 1;
    const short = await readParts(fields, body, PARSE_LIMITS);
    t.same(short, await readParts([...fields, INLINE], body, PARSE_LIMITS), corpusName(path));
  }
  t.ok(count > 100, `${count} mails`);
});
