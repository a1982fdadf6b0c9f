import t from 'tap';
import { readTyped } from '../../../src/cli/secret-value.ts';

/** As a terminal in raw mode sends it. */
async function* typed(...chunks: string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

t.test('what is typed ends with Ctrl-D, and backspace takes back a character', async (t) => {
  t.equal((await readTyped(typed('{"key":', '"a"}\r', '\x04', 'more'))).toString(), '{"key":"a"}\n');
  t.equal((await readTyped(typed('p\u00e4\u{1f511}\x7f\x7fa\x08b\x04'))).toString(), 'pb');
  t.equal((await readTyped(typed('\x7f\x7fa'))).toString(), 'a', 'at the end of the terminal too');
  await t.rejects(readTyped(typed('abc', '\x03')), { message: 'Nothing was changed.' });
  await t.rejects(readTyped(typed('a'.repeat(600_000))), { message: /too large/ });
});
