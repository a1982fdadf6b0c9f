/** What stalwart's parser made of its messages, compared with what REST says of them once they came in over SMTP. */

import { readFile } from 'node:fs/promises';
import t from 'tap';
import { corpusName, messageFiles, missingCorpora } from './corpora.ts';
import { startLanes } from './lanes.ts';
import { readExpectedParse } from './stalwart-parse.ts';
import { withAuthor } from './with-author.ts';

/** Where we read otherwise: what is not compared, and why. */
const EXCEPTIONS: Record<string, Partial<Record<Compared, string>>> = {
  'rfc/000.eml': {
    sizes: 'two parts say base64 and are prose: what of it is base64 is decoded, there it is kept as it is',
  },
  'rfc/001.eml': { names: 'a file name with a path is its last step' },
  'rfc/006.eml': { text: 'the text part says that it is one for programs without HTML, and the HTML is read' },
  'thirdparty/002.eml': {
    text: 'base64 with garbage behind it: the garbage is decoded too, there it is a tab',
    attachments: 'base64 that is none is a text of ours, there a file',
  },
  'thirdparty/015.eml': { attachments: 'three messages are attached; there the second and third are inside the first' },
};

type Compared = 'from' | 'to' | 'cc' | 'subject' | 'text' | 'html' | 'attachments' | 'names' | 'sizes';

const bare = (listed: string): string => (/<([^<>]*)>$/.exec(listed)?.[1] ?? listed).toLowerCase();
/** Line ends and runs of blanks are not compared, nor NUL, which is no text of ours. */
const folded = (text: string): string =>
  text
    .replaceAll('\0', '')
    .replace(/[\s\u00ad\ufeff]+/gu, ' ')
    .trim();

t.test('addresses, subjects, texts and attachments', { skip: missingCorpora }, async (t) => {
  await using lanes = await startLanes();
  let compared = 0;
  await lanes.each(await messageFiles('mail-parser-stalwart'), async (lane, path) => {
    const expected = readExpectedParse(path);
    if (!expected) return;
    const name = corpusName(path).replace('mail-parser-stalwart/', '');
    const raw = await readFile(path);
    const isOwn = (await lane.deliver(raw)).startsWith('250');
    if (!isOwn) await lane.deliver(withAuthor(raw));
    const found = await lane.latest();

    const same = (what: Compared, actual: unknown, wanted: unknown): void => {
      const reason = EXCEPTIONS[name]?.[what];
      if (reason === undefined) t.same(actual, wanted, `${name}: ${what}`);
      else t.not(JSON.stringify(actual), JSON.stringify(wanted), `${name}: ${what} is still an exception: ${reason}`);
    };
    if (isOwn) same('from', [bare(found.from)], expected.from);
    same('to', found.to.map(bare), expected.to);
    same('cc', found.cc.map(bare), expected.cc);
    same('subject', found.subject, folded(expected.subject));
    const text = folded(found.text);
    same(
      'text',
      expected.texts.filter((part) => !text.includes(folded(part))),
      [],
    );
    same('html', found.html !== null, expected.hasHtml);
    same('attachments', found.attachments.length, expected.attachments.length);
    if (found.attachments.length === expected.attachments.length) {
      const names = expected.attachments.map(({ filename }, at) => filename ?? found.attachments[at]?.filename);
      same(
        'names',
        found.attachments.map(({ filename }) => filename),
        names,
      );
      const sizes = expected.attachments.map(({ size }, at) => size ?? found.attachments[at]?.size);
      same(
        'sizes',
        found.attachments.map(({ size }) => size),
        sizes,
      );
    }
    compared += 1;
  });
  t.ok(compared > 25, `${compared} compared`);
  t.same(lanes.instance.faults, []);
});
