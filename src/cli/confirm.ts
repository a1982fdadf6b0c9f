/** Asks for confirmation before an act that cannot be undone. */

import { createInterface } from 'node:readline/promises';
import { refused, wrongUsage } from './failure.ts';

/**
 * Resolves where the answer is yes. The question goes to stderr, so that stdout has only the command's output.
 * @param yes whether `--yes` was given
 * @throws {CommandError} where the answer is anything else, or stdin is no terminal
 */
export const confirm = async (question: string, yes: boolean): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY) throw wrongUsage(`${question} No terminal to answer on: add --yes.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  // Without these, Ctrl-C and Ctrl-D would leave the question open forever.
  lines.once('SIGINT', () => gone.abort());
  lines.once('close', () => gone.abort());
  const answer = await lines.question(`${question} [y/N] `, { signal: gone.signal }).catch(() => '');
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw refused('Nothing was changed.');
};
