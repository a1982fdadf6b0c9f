import t from 'tap';
import { DataReader } from '../../../../src/transports/smtp/data-reader.ts';
import { InputStream } from '../../../../src/transports/smtp/input-stream.ts';

const LIMITS = { messageBytes: 1000, lineBytes: 200, headerBytes: 300 };

type Answer = 'at once' | 'in a microtask' | 'later';

/** A stream that answers each command so, and takes a message after DATA. */
const open = (answer: Answer = 'at once') => {
  const seen: string[] = [];
  const stream = new InputStream({
    maxCommandBytes: 20,
    isGreeted: () => true,
    onEarlyBytes: () => seen.push('early'),
    onLineFault: (fault) => seen.push(fault),
    startMessage: () => new DataReader(LIMITS, { grow: () => null, release: () => {} }),
    onMessageBytes: () => {},
    onMessageEnd: () => {},
  });
  stream.oncommand = (command, next = () => {}) => {
    seen.push(command.toString());
    if (command.toString() === 'DATA') {
      const data = stream.startDataMode();
      data.on('data', (chunk: Buffer) => seen.push(`message ${chunk.toString()}`));
      data.on('end', () => stream.continue());
    }
    if (answer === 'later') setImmediate(next);
    else if (answer === 'in a microtask') queueMicrotask(next);
    else next();
  };
  return { stream, seen };
};

const write = (stream: InputStream, text: string, piece: number) =>
  new Promise<void>((resolve) => {
    for (let at = 0; at < text.length; at += piece) stream.write(Buffer.from(text.slice(at, at + piece)));
    stream.end(() => resolve());
  });

t.test('lines and messages, wherever the packets are cut, answered at once or later', async (t) => {
  const text = 'NOOP\r\nDATA\r\na\r\n..b\r\n.\r\nRSET\r\nQUIT\r\n';
  const answers: Answer[] = ['at once', 'in a microtask', 'later'];
  for (const answer of answers) {
    for (let piece = 1; piece <= text.length; piece++) {
      const { stream, seen } = open(answer);
      await write(stream, text, piece);
      t.same(seen, ['NOOP', 'DATA', 'message a\r\n.b\r\n', 'RSET', 'QUIT'], `by ${piece}`);
    }
  }
});

t.test('a line that ends in anything but CRLF is not run, nor what follows it', async (t) => {
  for (const [text, fault] of [
    ['NOOP\nQUIT\r\n', 'bare-line-end'],
    ['NOOP\rQUIT\r\n', 'bare-line-end'],
    ['NOOP\r\r\nQUIT\r\n', 'bare-line-end'],
    [`NOOP ${'x'.repeat(20)}\r\nQUIT\r\n`, 'too-long'],
    ['x'.repeat(50), 'too-long'],
  ] as const) {
    for (let piece = 1; piece <= text.length; piece++) {
      const { stream, seen } = open();
      for (let at = 0; at < text.length; at += piece) stream.write(Buffer.from(text.slice(at, at + piece)));
      t.same(seen, [fault], `${JSON.stringify(text)} by ${piece}`);
    }
  }
});

t.test('a last line without its end is no command', async (t) => {
  const { stream, seen } = open();
  await write(stream, 'NOOP\r\nQUIT', 100);
  t.same(seen, ['NOOP']);
});

t.test('many commands in one packet need no stack, and let others run', async (t) => {
  const answers: Answer[] = ['at once', 'in a microtask'];
  for (const answer of answers) {
    const { stream, seen } = open(answer);
    let turns = 0;
    const tick = setInterval(() => turns++, 0);
    await write(stream, 'NOOP\r\n'.repeat(100_000), 600_000);
    clearInterval(tick);
    t.equal(seen.length, 100_000);
    t.ok(turns > 0, answer);
  }
});
