/**
 * Messages of the public corpora go in over SMTP. Each is taken and can be read by REST, or is refused with a code that
 * says why; one that is refused for its From goes in again with another, so that its structure is tried as well.
 */

import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { parseMail } from '../../src/mail/mime/parse-message.ts';
import { someOf } from '../harness/long-form.ts';
import { corpusName, MAIL_FOLDERS, messageFiles, missingCorpora } from './corpora.ts';
import { type Lane, startLanes } from './lanes.ts';
import { withAuthor } from './with-author.ts';

/** Refused for something else than their From. */
const REFUSALS: Record<string, RegExp> = {
  // One line of half a megabyte.
  'github-reply/email_long_quote.txt': /^550 5\.6\.0 A line/,
};

/** Reads the latest message in every way there is. */
const readAll = async (t: Test, lane: Lane, name: string): Promise<void> => {
  const { id, subject, text, attachments } = await lane.latest();
  const { hits } = await lane.call<{ hits: unknown[] }>(`/v1/search?q=${encodeURIComponent(subject || 'x')}`);
  t.ok(Array.isArray(hits), `${name}: its subject can be searched for`);
  t.type(text, 'string', `${name}: has a text`);
  t.ok((await lane.bytes(`/v1/messages/${id}/raw`)).length > 0, `${name}: has its bytes`);
  for (const { filename, size } of attachments) {
    const bytes = await lane.bytes(`/v1/messages/${id}/attachments/${encodeURIComponent(filename)}`);
    t.equal(bytes.length, size, `${name}: ${filename}`);
  }
};

t.test('every message is taken and read, or refused for a reason', { skip: missingCorpora }, async (t) => {
  await using lanes = await startLanes();
  const counts = { taken: 0, refused: 0 };
  for (const folder of MAIL_FOLDERS) {
    const sender = folder === 'sisimai' || folder === 'flanker-bounce' ? '' : 'carol@remote.test';
    await lanes.each(someOf(await messageFiles(folder)), async (lane, path) => {
      const name = corpusName(path);
      const raw = await readFile(path);
      const reply = await lane.deliver(raw, sender);
      if (REFUSALS[name]) {
        t.match(reply, REFUSALS[name], `${name}: refused with its code`);
        return;
      }
      if (reply.startsWith('250 2.')) {
        counts.taken += 1;
      } else {
        counts.refused += 1;
        const { author } = await parseMail(raw);
        t.match(reply, /^550 5\.7\.1 A mail needs one From/, `${name}: refused with its code`);
        t.equal(author, null, `${name}: refused for its From`);
        t.match(await lane.deliver(withAuthor(raw), sender), /^250 2\./, `${name}: taken with another From`);
      }
      await readAll(t, lane, name);
    });
  }
  t.comment(`${counts.taken} taken, ${counts.refused} refused for their From and taken with another`);
  t.ok(counts.taken > 2 * counts.refused, 'most are taken as they are');
  t.same(lanes.instance.faults, [], 'no fault in the log');
});
