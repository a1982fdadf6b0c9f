/** The same mails as in bounces.test.ts, each over SMTP to the return path of a delivery of its own. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { classifyFailure, parseBounceRules, toFailure } from '../../src/config/bounce-rules.ts';
import type { Address } from '../../src/kernel/address.ts';
import { parseReport } from '../../src/mail/dsn/parse-report.ts';
import { parseMail } from '../../src/mail/mime/parse-message.ts';
import { startInstance, type TestInstance } from '../harness/instance.ts';
import { someOf } from '../harness/long-form.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { corpusName, messageFiles, missingCorpora } from './corpora.ts';
import { MailFeeder } from './mail-feeder.ts';

const FOLDERS = ['sisimai', 'flanker-bounce', 'stalwart-mail-auth/arf'];
const PER_MESSAGE = 5;

const tableFile = new URL('../../config/bounce-rules.toml', import.meta.url);
const replies = parseBounceRules(readFileSync(tableFile, 'utf8'), tableFile.pathname);

const addressOf = (index: number) => `n${index}@remote.test`;

/** What its reading alone says that the delivery should be, and why it bounced. */
const expectedOf = async (path: string): Promise<[status: string, bounceType: string | null]> => {
  const report = parseReport(await parseMail(await readFile(path)));
  if (report?.kind === 'feedback') {
    return [['abuse', 'fraud', 'opt-out'].includes(report.feedbackType) ? 'complained' : 'delivered', null];
  }
  if (!report || report.recipients.some(({ action }) => action !== 'failed')) return ['delivered', null];
  const types = report.recipients.map(
    (told) => toFailure(classifyFailure(replies, { ...told, text: told.diagnostic })).type,
  );
  const mildest = (['blocked', 'expired', 'permanent'] as const).find((type) => types.includes(type));
  return ['bounced', mildest ?? null];
};

const sendAll = async (instance: TestInstance, count: number): Promise<void> => {
  const client = instance.client(instance.agents.ann);
  for (let at = 0; at < count; at += PER_MESSAGE) {
    const to = Array.from({ length: PER_MESSAGE }, (_, n) => addressOf(at + n));
    await client.messages.send({
      to,
      subject: 'Hi',
      body: `${Array.from(String(at), (d) => 'abcdefghij'[Number(d)]).join('')}`,
    });
  }
  const isDone = ({ status }: { status: string }) => status === 'delivered';
  await eventually(async () => (await statuses(instance)).every(isDone), 60_000);
};

const statuses = (instance: TestInstance) =>
  instance.inStore((store) => store.read.selectFrom('deliveries').select(['address', 'status']).execute());

t.test('every one of them has the effect that it says', { skip: missingCorpora }, async (t) => {
  await using instance = await startInstance();
  const files = someOf((await Promise.all(FOLDERS.map(messageFiles))).flat());
  await sendAll(instance, files.length);
  const returnPaths = new Map(instance.receiver.messages.map(({ rcptTo, mailFrom }) => [rcptTo[0], mailFrom]));
  await using feeder = await MailFeeder.connect(instance.smtpPort);
  for (const [index, path] of files.entries()) {
    const reply = await feeder.deliver(await readFile(path), returnPaths.get(addressOf(index)) ?? '', '');
    t.match(reply, /^250/, corpusName(path));
  }
  const found = new Map((await statuses(instance)).map(({ address, status }) => [address, status]));
  const bounced = (await instance.events()).filter(({ name }) => name === 'message.bounced');
  const types = new Map(bounced.map(({ data }) => [(data.to as string[])[0], data.bounce_type]));
  for (const [index, path] of files.entries()) {
    const address = addressOf(index);
    t.same([found.get(address as Address), types.get(address) ?? null], await expectedOf(path), corpusName(path));
  }
  t.equal(bounced.length, types.size, 'each is told once');
  t.same(instance.faults, []);
});
