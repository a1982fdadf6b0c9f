/**
 * Plays a written SMTP dialogue against a server. A line of a script is one of
 *
 *     S: 250 2.1.0       the server's next line begins with this
 *     S: /^250[ -]SIZE/  … or matches this
 *     S* 250             the server's next reply, all its lines, begins with this; or matches, as `S* /STARTTLS/`
 *     S! closed          the server closes the connection
 *     C: MAIL FROM:<>    is sent with CRLF
 *     C! a\r\n.\n\0\xff  is sent as it is, the escapes \r \n \t \0 \\ \xHH replaced
 *     T!                 TLS begins, after a STARTTLS that was answered; no certificate is verified
 *     # …                is for the reader, as empty lines are
 *
 * `{{name}}` stands for a value that the test gives.
 */

import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { WAIT_LIMIT_MS } from '../wait-limit.ts';

export interface DialogueOptions {
  readonly host?: string;
  readonly port: number;
  /** What `{{name}}` stands for. */
  readonly names?: Readonly<Record<string, string>>;
  /** For each line of the server. */
  readonly timeoutMs?: number;
}

interface Step {
  readonly line: number;
  readonly kind: 'S:' | 'S*' | 'S!' | 'C:' | 'C!' | 'T!';
  readonly text: string;
}

const STEP = /^(S:|S\*|S!|C:|C!|T!)(?: (.*))?$/;
const isKind = (text: string | undefined): text is Step['kind'] => text !== undefined && STEP.test(text);

const parseScript = (script: string, names: Readonly<Record<string, string>>): Step[] =>
  script.split(/\r?\n/).flatMap((text, index): Step[] => {
    const line = index + 1;
    if (text.trim() === '' || text.startsWith('#')) return [];
    const match = STEP.exec(text);
    if (!match || !isKind(match[1])) throw new Error(`line ${line} is no step of a dialogue: ${text}`);
    const filled = (match[2] ?? '').replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = names[name];
      if (value === undefined) throw new Error(`line ${line}: nothing is given for {{${name}}}`);
      return value;
    });
    return [{ line, kind: match[1], text: filled }];
  });

const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0', '\\': '\\' };

/** Latin-1, so that `\xff` is one byte; other text goes out as its UTF-8. */
const rawBytes = (text: string): Buffer =>
  Buffer.concat(
    text.split(/(\\x[0-9a-fA-F]{2}|\\[rnt0\\])/).map((part) => {
      if (/^\\x/.test(part)) return Buffer.of(Number.parseInt(part.slice(2), 16));
      return Buffer.from(part.startsWith('\\') ? (ESCAPES[part.slice(1)] ?? part) : part, 'utf8');
    }),
  );

const matches = (pattern: string, text: string): boolean => {
  const expression = /^\/(.*)\/$/.exec(pattern)?.[1];
  return expression === undefined ? text.startsWith(pattern) : new RegExp(expression, 'm').test(text);
};

/** The lines that come over a socket, and its end; a line keeps a bare CR, so that a test sees one. */
const createReader = (socket: net.Socket, timeoutMs: number) => {
  let buffered = '';
  let ended = false;
  let wake = () => {};
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    buffered += chunk;
    wake();
  });
  for (const event of ['end', 'close', 'error'] as const) {
    socket.on(event, () => {
      ended = true;
      wake();
    });
  }
  const more = async (): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`the server said nothing for ${timeoutMs} ms`)), timeoutMs);
    wake = resolve;
    await promise.finally(() => clearTimeout(timer));
  };
  return {
    /** The next line, or null at the end of the connection. */
    async line(): Promise<string | null> {
      while (!buffered.includes('\n') && !ended) await more();
      const end = buffered.indexOf('\n');
      if (end < 0) return null;
      const line = buffered.slice(0, end).replace(/\r$/, '');
      buffered = buffered.slice(end + 1);
      return Buffer.from(line, 'latin1').toString('utf8');
    },
  };
};

/**
 * Plays a dialogue to its end and closes the connection.
 * @returns the transcript
 * @throws {Error} at the first line that is not as written, with the transcript so far
 */
export const playDialogue = async (script: string, options: DialogueOptions): Promise<string> => {
  const { host = '127.0.0.1', port, names = {}, timeoutMs = WAIT_LIMIT_MS } = options;
  const steps = parseScript(script, names);
  let socket: net.Socket = net.connect({ host, port });
  let reader = createReader(socket, timeoutMs);
  const transcript: string[] = [];

  const nextLine = async (): Promise<string> => {
    const line = await reader.line();
    if (line === null) throw new Error('the server closed the connection');
    transcript.push(`S: ${line}`);
    return line;
  };
  const nextReply = async (): Promise<string> => {
    const lines = [await nextLine()];
    while (/^[0-9]{3}-/.test(lines.at(-1) ?? '')) lines.push(await nextLine());
    return lines.join('\n');
  };
  const startTls = async (): Promise<void> => {
    for (const event of ['data', 'end', 'close', 'error']) socket.removeAllListeners(event);
    const secured = tls.connect({ socket, rejectUnauthorized: false });
    await new Promise<void>((resolve, reject) => {
      secured.once('secureConnect', resolve);
      secured.once('error', reject);
    });
    socket = secured;
    reader = createReader(secured, timeoutMs);
  };

  const perform = async ({ kind, text }: Step): Promise<void> => {
    if (kind === 'C:' || kind === 'C!') {
      transcript.push(`${kind} ${text}`);
      socket.write(kind === 'C:' ? `${text}\r\n` : rawBytes(text));
    } else if (kind === 'T!') {
      transcript.push('T!');
      await startTls();
    } else if (kind === 'S!') {
      const line = await reader.line();
      if (line !== null) throw new Error(`expected the end of the connection, got: ${line}`);
    } else {
      const got = kind === 'S:' ? await nextLine() : await nextReply();
      if (!matches(text, got)) throw new Error(`expected ${text}, got: ${got}`);
    }
  };

  try {
    for (const step of steps) {
      await perform(step).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`line ${step.line}: ${reason}\n${transcript.join('\n')}`, { cause: error });
      });
    }
    return transcript.join('\n');
  } finally {
    socket.destroy();
  }
};

/** Plays a file of test/dialogues; a failure names it. */
export const playDialogueFile = async (path: string, options: DialogueOptions): Promise<string> => {
  try {
    return await playDialogue(readFileSync(path, 'utf8'), options);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
};
