import t from 'tap';
import { readVCards } from '../../../../src/contacts/vcard/read-vcards.ts';
import { rounds } from '../../../harness/long-form.ts';
import { processorMs } from '../../../harness/processor-ms.ts';
import { cardLines } from './cards.ts';

const MAX_CARDS = 1_000;

t.test('a thousand cards are read, and not one more', async (t) => {
  const read = readVCards(Buffer.from(cardLines('FN:Ann').repeat(MAX_CARDS)), MAX_CARDS);
  t.equal(read.kind === 'read' && read.cards.length, MAX_CARDS);
  t.equal(readVCards(Buffer.from(cardLines('FN:Ann').repeat(MAX_CARDS + 1)), MAX_CARDS).kind, 'too_many_cards');
  t.equal(
    readVCards(Buffer.from(cardLines('X:Ann').repeat(MAX_CARDS + 1)), MAX_CARDS).kind,
    'too_many_cards',
    'failing ones count',
  );
});

const MB = 1_000_000;
const SIZE = rounds(2, 10) * MB;
/** Processor time; what grows with the square of the size would take minutes. */
const MOST_MS = rounds(3_000, 5_000);

/** Repeats up to the size. */
const fill = (text: string, size = SIZE): string => text.repeat(Math.floor(size / text.length));
const within = (text: string): string => `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:x\r\n${text}\r\nEND:VCARD\r\n`;
const cards = (line: string): string => fill(within(line));

const TEXTS: Record<string, string> = {
  'empty lines': fill('\n'),
  'empty lines in a card': within(fill('\r\n')),
  'short properties': within(fill('A:\n')),
  'cards that never end': fill('BEGIN:VCARD\n'),
  'cards within cards': within(fill('AGENT:\nBEGIN:VCARD\n')),
  folds: within(`NOTE:${fill('a\r\n ')}`),
  'soft line breaks': within(`NOTE;ENCODING=QUOTED-PRINTABLE:${fill('=41=\r\n')}`),
  'lines of an equals sign': within(fill('=\n')),
  'one line': within(`NOTE:${fill('x')}`),
  parameters: within(fill(`NOTE${';A=b'.repeat(1_000)}:x\r\n`)),
  'parameter values': within(fill(`NOTE;A=${',b'.repeat(2_000)}:x\r\n`)),
  quotes: within(fill(`NOTE;A=${'"'.repeat(4_000)}:x\r\n`)),
  escapes: cards(`N:${'\\;'.repeat(55_000)}`),
  components: cards(`ADR:${';'.repeat(110_000)}`),
  blanks: cards(`ORG:a${' '.repeat(110_000)}b`),
  words: cards(`FN:${'a, '.repeat(40_000)}`),
  'at signs': cards(`EMAIL:${'a@'.repeat(55_000)}`),
  dots: cards(`EMAIL:${'a.'.repeat(55_000)}@b.example`),
  'e-mail addresses': cards('EMAIL:a@b.example\r\n'.repeat(5_000)),
  labels: cards('a.X-ABLABEL:a\r\na.EMAIL:a@b.example\r\n'.repeat(2_400)),
};

for (const [name, text] of Object.entries(TEXTS)) {
  t.test(`${SIZE / MB} MB of ${name} are read in time, or refused`, async (t) => {
    const octets = Buffer.from(text);
    const begin = processorMs();
    readVCards(octets, MAX_CARDS);
    const ms = processorMs() - begin;
    t.ok(ms < MOST_MS, `${Math.round(ms)} ms`);
  });
}
