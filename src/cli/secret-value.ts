/** A secret's value on stdin, as JSON. Whatever is wrong with it is told without what it says. */

import { refused, wrongUsage } from './failure.ts';

/** More than any value that is taken. */
const MAX_BYTES = 512 * 1024;

/** @throws {CommandError} where stdin holds no JSON object of texts */
export const readSecretValue = async (
  stdin: AsyncIterable<Buffer> = process.stdin,
): Promise<Record<string, string>> => {
  if (process.stdin.isTTY) process.stderr.write('The value as JSON, such as {"key": "…"}; end it with Ctrl-D:\n');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += chunk.length;
    if (size > MAX_BYTES) throw refused('The value on stdin is too large.');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  try {
    return parse(bytes.toString());
  } finally {
    for (const each of [...chunks, bytes]) each.fill(0);
  }
};

const parse = (text: string): Record<string, string> => {
  const value = parseJson(text);
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isRecord || !Object.values(value).every((field) => typeof field === 'string')) {
    throw wrongUsage('The value is read from stdin: a JSON object of texts, such as {"key": "…"}.');
  }
  return value as Record<string, string>;
};

/** The parser's own message quotes the text. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};
