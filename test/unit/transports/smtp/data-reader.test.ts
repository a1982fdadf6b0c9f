import t from 'tap';
import { SmtpError } from '../../../../src/kernel/errors.ts';
import { DataReader } from '../../../../src/transports/smtp/data-reader.ts';

const roomy = { grow: () => null, release: () => {} };
const LIMITS = { messageBytes: 1000, lineBytes: 200, headerBytes: 300 };

/** What is left of some bytes in pieces of a length: the message or why it is refused, and where its end was seen. */
const take = (bytes: string, piece: number, limits = LIMITS) => {
  const intake = new DataReader(limits, roomy);
  const all = Buffer.from(bytes, 'latin1');
  for (let at = 0; at < all.length; at += piece) {
    const end = intake.feed(all.subarray(at, at + piece));
    if (end >= 0) {
      const fault = intake.fault?.message ?? null;
      return { fault, message: intake.take().toString('latin1'), rest: all.subarray(at + end).toString('latin1') };
    }
  }
  return { fault: intake.fault?.message ?? null, message: null, rest: null };
};

const everyPiece = (bytes: string, check: (got: ReturnType<typeof take>, piece: number) => void, limits = LIMITS) => {
  for (let piece = 1; piece <= bytes.length; piece++) check(take(bytes, piece, limits), piece);
};

t.test('dots are taken off and the end is found, wherever the packets are cut', (t) => {
  const cases: [sent: string, message: string][] = [
    ['.\r\n', ''],
    ['a\r\n.\r\n', 'a\r\n'],
    ['..\r\n.\r\n', '.\r\n'],
    ['.a\r\n..\r\n...\r\nb.\r\n.\r\n', 'a\r\n.\r\n..\r\nb.\r\n'],
    ['\r\n\r\n.\r\n', '\r\n\r\n'],
    ['a\0b\r\n.\r\n', 'a\0b\r\n'],
    ['\r\n\0.\r\n.\r\n', '\r\n\0.\r\n'],
    ['caf\xe9\r\n.\r\n', 'caf\xe9\r\n'],
  ];
  for (const [sent, message] of cases) {
    everyPiece(`${sent}MAIL`, (got, piece) => {
      t.same(
        { fault: got.fault, message: got.message },
        { fault: null, message },
        `${JSON.stringify(sent)} by ${piece}`,
      );
      t.ok('MAIL'.startsWith(got.rest ?? 'none'), 'what follows is not the message');
    });
  }
  t.end();
});

t.test('only CRLF.CRLF ends a message; what another host might read so is refused with it', (t) => {
  const ends = [
    '\n.\n',
    '\n.\r\n',
    '\r\n.\n',
    '\r.\r',
    '\r\n.\r',
    '\r.\r\n',
    '\n\n.\n\n',
    '\r\r\n.\r\r\n',
    '\r\n.\r\r\n',
  ];
  for (const end of ends) {
    everyPiece(`a${end}MAIL FROM:<evil@x.test>\r\n.\r\n`, (got, piece) => {
      t.same(
        got,
        { fault: '5.6.11 A bare CR or LF in the message', message: '', rest: '' },
        `${JSON.stringify(end)} ${piece}`,
      );
    });
  }
  t.equal(take('a\r\n\0.\r\nMAIL\r\n.\r\n', 99).message, 'a\r\n\0.\r\nMAIL\r\n', 'a NUL is a character like others');
  t.end();
});

t.test('the bounds of a message, a line and the header', (t) => {
  const small = { messageBytes: 40, lineBytes: 12, headerBytes: 20 };
  const fault = (sent: string) => {
    const faults = new Set<string | null>();
    everyPiece(sent, (got) => faults.add(got.fault), small);
    t.equal(faults.size, 1, 'the same however it is cut');
    return [...faults][0];
  };
  t.equal(fault(`a\r\n\r\n${'b\r\n'.repeat(11)}\r\n.\r\n`), null);
  t.equal(fault(`a\r\n\r\n${'b\r\n'.repeat(12)}.\r\n`), '5.3.4 The message is larger than 40 bytes');
  t.equal(fault(`..\r\n\r\n${'..\r\n'.repeat(11)}\r\n.\r\n`), null, 'dots that were put in do not count');
  t.equal(fault('\r\n1234567890\r\n.\r\n'), null);
  t.equal(fault('\r\n12345678901\r\n.\r\n'), '5.6.0 A line of the message is longer than 12 bytes');
  t.equal(fault(`12345678\r\n123456\r\n\r\n.\r\n`), null);
  t.equal(fault(`12345678\r\n1234567\r\n\r\n.\r\n`), '5.3.4 The header is longer than 20 bytes');
  t.equal(fault(`12345678\r\n12345678\r\n1\r\n.\r\n`), '5.3.4 The header is longer than 20 bytes', 'without a body');
  t.end();
});

t.test('what is kept is reserved first, and given back where the message is refused', (t) => {
  let reserved = 0;
  const ledger = (room: number) => ({
    grow: (bytes: number) => {
      if (reserved + bytes > room) return new SmtpError({ code: 452, enhanced: '4.3.1', text: 'Full' });
      reserved += bytes;
      return null;
    },
    release: () => {
      reserved = 0;
    },
  });
  const limits = { messageBytes: 1_000_000, lineBytes: 1_000, headerBytes: 1_000 };
  const line = Buffer.from(`\r\n${'x'.repeat(98)}`);
  const feed = (intake: DataReader, times: number) => {
    for (let count = 0; count < times; count++) intake.feed(line);
  };

  const whole = new DataReader(limits, ledger(1_000_000));
  feed(whole, 10_000);
  t.equal(reserved, 1_000_000, 'never more than the largest message');
  feed(whole, 1);
  t.match(whole.fault?.message, /^5\.3\.4 /);
  t.equal(reserved, 0);

  const crowded = new DataReader(limits, ledger(100_000));
  feed(crowded, 2_000);
  t.match(crowded.fault, { responseCode: 452, message: /^4\.3\.1 / });
  t.equal(reserved, 0);
  t.end();
});

t.test('a long message comes out as it went in', (t) => {
  const text = Array.from({ length: 30_000 }, (_, at) => `line ${at} of many\r\n`).join('');
  const limits = { messageBytes: 1_000_000, lineBytes: 1_000, headerBytes: 1_000_000 };
  t.equal(take(`${text}.\r\n`, 65_536, limits).message, text);
  t.equal(take(`${text}.\r\n`, 1_447, limits).message, text);
  t.end();
});
