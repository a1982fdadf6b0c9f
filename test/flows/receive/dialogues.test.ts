import { globSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { playDialogueFile } from '../../harness/smtp/smtp-dialogue.ts';

const FOLDER = join(import.meta.dirname, '../../dialogues');
/** Just over `[smtp] max_message_bytes`, in lines that a dialogue sends as they are. */
const OVER_SIZE = `${'x'.repeat(998)}\\r\\n`.repeat(26_215);

/** The subjects of the mails that a dialogue leaves behind, newest first; what is not named here leaves none. */
const STORED: Readonly<Record<string, string[]>> = {
  'mails/dot-stuffing': ['Dots'],
  'commands/helo': ['Said HELO'],
  'mails/loop': ['A long way'],
  'mails/null-sender': ['From nobody'],
  'commands/pipelining': ['Pipelined 2', 'Pipelined 1'],
  'mails/recipients': ['To two of five'],
  'mails/size-in-data': ['Small enough'],
};

const received = (count: number): string =>
  'Received: from a.test by b.test; Mon, 16 Nov 2026 10:00:00 +0000\\r\\n'.repeat(count);

const play = async (instance: TestInstance, name: string): Promise<string> =>
  playDialogueFile(join(FOLDER, `${name}.txt`), {
    port: instance.smtpPort,
    // The first mail waits for the worker threads to start, which a busy machine takes its time over.
    timeoutMs: 20_000,
    names: {
      ann: instance.agents.ann.address,
      overSize: OVER_SIZE,
      line5000: 'x'.repeat(5000),
      received50: received(50),
      received51: received(51),
    },
  });

/** RFC 2034 section 4: every reply that begins with 2, 4 or 5 bears a code, but those to the greeting, HELO and EHLO. */
const repliesWithoutCode = (transcript: string): string[] => {
  const lines = transcript.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('C: EHLO'));
  if (begin < 0) return [];
  const afterEhlo = lines.slice(begin);
  return afterEhlo.filter((line, at) => {
    const opensSession = /^C: (EHLO|HELO)/.test(afterEhlo.slice(0, at).findLast((each) => each.startsWith('C')) ?? '');
    return /^S: [245]\d\d/.test(line) && !opensSession && !/^S: ([245])\d\d[ -]\1\.\d{1,3}\.\d{1,3} /.test(line);
  });
};

const subjectsOf = async (instance: TestInstance): Promise<string[]> =>
  (await instance.client(instance.agents.ann).messages.list({})).messages.map(({ subject }) => subject);

t.test('dialogues', async (t) => {
  await using instance = await startInstance();
  let before = 0;
  for (const file of globSync('*/*.txt', { cwd: FOLDER }).sort()) {
    const name = file.replace(/\.txt$/, '');
    await t.test(name, async (t) => {
      const transcript = await play(instance, name);
      t.same(repliesWithoutCode(transcript), [], 'every reply has its enhanced status code');
      const subjects = await subjectsOf(instance);
      t.same(subjects.slice(0, subjects.length - before), STORED[name] ?? [], 'what was accepted is stored');
      before = subjects.length;
    });
  }
  t.same(instance.faults, [], 'no fault of ours');
});

t.test('dots at the beginning of a line come out as they went in', async (t) => {
  await using instance = await startInstance();
  await play(instance, 'mails/dot-stuffing');
  const client = instance.client(instance.agents.ann);
  const { id = '' } = (await client.messages.list({})).messages[0] ?? {};
  const raw = Buffer.from((await client.messages.raw({ id })).content).toString();
  t.match(raw, /\r\n\r\n\.\r\n\.one\r\n\.\.two\r\na\.b\r\n\.\r\n$/);
});
