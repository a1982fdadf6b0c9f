/** Reads a secret's value from stdin, as JSON. Error messages do not repeat the value. */

import { isJsonObject } from '../kernel/json-object.ts';
import type { SecretType } from '../store/vault/secrets.ts';
import { refused, wrongUsage } from './failure.ts';

/** More than any valid value. */
const MAX_BYTES = 512 * 1024;

/** Examples of each type, with all fields. */
const EXAMPLES = {
  login: '{"username": "ann", "password": "…", "totp_seed": "JBSWY3DPEHPK3PXP"}',
  api_key: '{"key": "…", "endpoint": "https://api.example.com"}',
  key_pair: '{"access_key": "…", "secret_key": "…", "endpoint": "https://s3.example.com"}',
  ssh_key: '{"private_key": "-----BEGIN …\\n", "public_key": "ssh-ed25519 …", "passphrase": "…"}',
  other: '{"data": "…"}',
} as const satisfies Readonly<Record<SecretType, string>>;

export const SECRET_TYPES = Object.keys(EXAMPLES) as SecretType[];

/** For the help. */
export const formatExamples = (): string =>
  [
    'The value by type; totp_seed, endpoint, public_key and passphrase may be left out:',
    ...SECRET_TYPES.map((type) => `  ${type.padEnd(8)}  ${EXAMPLES[type]}`),
    'From a file, so that the value stands in no history: postroom secrets add NAME --workspace W --type T < value.json',
    'More: src/docs/vault.md, served at /docs/vault.',
  ].join('\n');

/**
 * @param type null: any
 * @throws {CommandError} where stdin holds no JSON object of texts
 */
export const readSecretValue = async (type: SecretType | null): Promise<Record<string, string>> => {
  const example = EXAMPLES[type ?? 'api_key'];
  const { stdin } = process;
  if (!stdin.isTTY) return parse(await readWhole(stdin), example);
  // Set first, so that nothing typed at the prompt is shown.
  stdin.setRawMode(true);
  process.stderr.write(`The value as JSON, such as ${example}\nIt is not shown as it is typed; end it with Ctrl-D:\n`);
  try {
    return parse(await readTyped(stdin.iterator({ destroyOnReturn: false })), example);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    process.stderr.write('\n');
  }
};

const readWhole = async (stdin: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += chunk.length;
    if (size > MAX_BYTES) throw refused('The value on stdin is too large.');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  for (const chunk of chunks) chunk.fill(0);
  return bytes;
};

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const BACKSPACE: ReadonlySet<number> = new Set([0x08, 0x7f]);
const RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** Reads a terminal in raw mode up to Ctrl-D. Backspace removes a whole character of UTF-8. */
export const readTyped = async (terminal: AsyncIterable<Buffer>): Promise<Buffer> => {
  const typed: number[] = [];
  for await (const chunk of terminal) {
    for (const byte of chunk) {
      if (byte === CTRL_C) throw refused('Nothing was changed.');
      if (byte === CTRL_D) return Buffer.from(typed);
      if (BACKSPACE.has(byte)) while (((typed.pop() ?? 0) & 0xc0) === 0x80);
      else typed.push(byte === RETURN ? LINE_FEED : byte);
    }
    chunk.fill(0);
    if (typed.length > MAX_BYTES) throw refused('The value is too large.');
  }
  return Buffer.from(typed);
};

const parse = (bytes: Buffer, example: string): Record<string, string> => {
  const value = parseJson(bytes.toString());
  bytes.fill(0);
  if (!isJsonObject(value) || !Object.values(value).every((field) => typeof field === 'string')) {
    throw wrongUsage(`The value is read from stdin: a JSON object of texts, such as ${example}.`);
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
