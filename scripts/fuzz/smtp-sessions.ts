/** SMTP sessions that a client should not have: commands damaged, out of order, cut, run together. */

import { mutateMail } from './mail-mutations.ts';
import type { Random } from './random.ts';

export interface SmtpStep {
  readonly bytes: Buffer;
  /** Whether the next step waits for something to come, at most a little. */
  readonly waits: boolean;
  /** TLS begins behind it, if the server agrees. */
  readonly tls: boolean;
}

const COMMANDS = [
  'EHLO mail.remote.test',
  'HELO x',
  'EHLO',
  'EHLO [127.0.0.1]',
  'EHLO \xff',
  'NOOP',
  'NOOP x',
  'RSET',
  'VRFY ann',
  'EXPN list',
  'HELP',
  'QUIT',
  'STARTTLS',
  'AUTH PLAIN AGEAYg==',
  'AUTH LOGIN',
  'DATA',
  'DATA x',
  'BDAT 5 LAST\r\nhello',
  'MAIL FROM:<>',
  'MAIL FROM:<carol@remote.test> SIZE=99999999999999999999',
  'MAIL FROM:<carol@remote.test> BODY=8BITMIME SMTPUTF8',
  'MAIL FROM:<@a,@b:c@d.test>',
  'MAIL FROM: <a@b.test>',
  'MAIL FROM:<"\\"@"@b.test>',
  'MAIL FROM:<\xc3\xa9@b.test>',
  'RCPT TO:<nobody@acme.agents.box.test>',
  'RCPT TO:<postmaster>',
  'RCPT TO:<b-aaaaaaaa@acme.agents.box.test>',
  'RCPT TO:<a@elsewhere.test>',
  'RCPT TO:<>',
  'RCPT TO:<ann+tag@acme.agents.box.test> NOTIFY=NEVER',
  'XCLIENT ADDR=1.2.3.4',
  'PROXY TCP4 1.2.3.4 1.2.3.4 1 2',
  'GET / HTTP/1.1',
  'ETRN x',
  'TURN',
  '',
  ' ',
  '.',
  '\0',
  'MAIL',
  'RCPT',
  'STARTTLS x',
];
const LINE_ENDS = ['\n', '\r', '\r\r\n', '\n\r', '', '\0\r\n', ' \r\n', '\r\n\r\n'];
const DATA_ENDS = [
  '\r\n.\r\n',
  '\r\n.\r\n.\r\n',
  '\n.\n',
  '\r\n.\n',
  '\r.\r',
  '\n.\r\n',
  '.\r\n',
  '\r\n.',
  '\r\n..\r\n',
  '\r\n.\r\nMAIL FROM:<a@b.test>\r\n',
];

const damage = (command: string, random: Random): string => {
  const place = random.below(command.length + 1);
  switch (random.below(7)) {
    case 0:
      return command.slice(0, place);
    case 1:
      return command.slice(0, place) + random.bytes(1 + random.below(8)).toString('latin1') + command.slice(place);
    case 2:
      return command.slice(0, place) + random.pick(['\0', '\t', ' ', ':', '<', '>', '@', '"']) + command.slice(place);
    case 3:
      return command + 'x'.repeat(random.below(random.pick([600, 5_000, 70_000])));
    case 4:
      return random.chance(0.5) ? command.toLowerCase() : command.toUpperCase();
    case 5:
      return `${command} ${'A=B '.repeat(random.below(200))}`;
    default:
      return random.pick(COMMANDS);
  }
};

const stuffed = (mail: Buffer, random: Random): string => {
  const text = mail.toString('latin1');
  return random.chance(0.9) ? text.replace(/^\./gm, '..') : text;
};

/** A transaction, and what of it is damaged. Most reach DATA, because a fuzzer that is refused at once finds nothing. */
const transaction = (recipients: readonly string[], mails: readonly Buffer[], random: Random): string[] => {
  const lines = [
    `MAIL FROM:<${random.chance(0.2) ? '' : 'carol@remote.test'}>`,
    ...Array.from({ length: 1 + random.below(3) }, () => `RCPT TO:<${random.pick(recipients)}>`),
    'DATA',
  ].map(
    (line) =>
      `${random.chance(0.05) ? damage(line, random) : line}${random.chance(0.02) ? random.pick(LINE_ENDS) : '\r\n'}`,
  );
  const end = random.chance(0.85) ? '\r\n.\r\n' : random.pick(DATA_ENDS);
  return [...lines, `${stuffed(mutateMail(mails, random), random)}${end}`];
};

const lines = (recipients: readonly string[], mails: readonly Buffer[], random: Random): string[] => {
  const written = [
    random.chance(0.95) ? 'EHLO mail.remote.test\r\n' : `${damage('EHLO mail.remote.test', random)}\r\n`,
  ];
  for (let parts = 1 + random.below(5); parts > 0; parts -= 1) {
    if (random.chance(0.7)) written.push(...transaction(recipients, mails, random));
    else {
      const command = random.pick(COMMANDS);
      const text = random.chance(0.5) ? damage(command, random) : command;
      written.push(`${text}${random.chance(0.9) ? '\r\n' : random.pick(LINE_ENDS)}`);
    }
  }
  if (random.chance(0.15)) {
    const from = random.below(written.length);
    const to = random.below(written.length);
    [written[from], written[to]] = [written[to] ?? '', written[from] ?? ''];
  }
  if (random.chance(0.5)) written.push('QUIT\r\n');
  return written;
};

/** @returns what is written, in pieces that do not follow the lines where the session is pipelined or cut */
export const makeSession = (recipients: readonly string[], mails: readonly Buffer[], random: Random): SmtpStep[] => {
  const written = lines(recipients, mails, random).map((line) => Buffer.from(line, 'latin1'));
  if (random.chance(0.2)) {
    // All at once, or in pieces of any length.
    const all = Buffer.concat(written);
    const size = random.chance(0.5) ? all.length : 1 + random.below(3_000);
    const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
      all.subarray(index * size, (index + 1) * size),
    );
    return pieces.slice(0, 500).map((bytes) => ({ bytes, waits: false, tls: false }));
  }
  const steps: SmtpStep[] = written.map((bytes) => ({ bytes, waits: random.chance(0.9), tls: false }));
  if (random.chance(0.15)) {
    const more = random.chance(0.3) ? 'EHLO injected\r\nMAIL FROM:<a@b.test>\r\n' : '';
    const tls = { bytes: Buffer.from(`STARTTLS\r\n${more}`), waits: true, tls: random.chance(0.7) };
    const garbage = { bytes: random.bytes(200), waits: false, tls: false };
    steps.splice(random.below(steps.length + 1), 0, tls, ...(random.chance(0.2) ? [garbage] : []));
  }
  return steps;
};
