/** Mail in files, and the commands that bring it into the mailbox of an agent and out of one. */

import { type CliRun, runCli } from '../../harness/cli.ts';
import type { TestAgent, TestInstance } from '../../harness/instance.ts';

export const importInto = ({ configPath }: TestInstance, agent: TestAgent, ...files: string[]): Promise<CliRun> =>
  runCli(configPath, 'mail', 'import', agent.handle, ...files, '--json');

export const documentOf = ({ stdout, stderr }: CliRun): Record<string, unknown> => {
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
};

export const listMail = async (instance: TestInstance, agent: TestAgent) =>
  (await instance.client(agent).messages.list({ limit: 100 })).messages;

interface MailText {
  id?: string | null;
  from?: string;
  to?: string;
  subject?: string;
  date?: string;
  more?: string[];
  body?: string;
}

let count = 0;
export const mailText = ({
  id,
  from = 'Dave <dave@old.test>',
  to = 'ann@acme.agents.box.test',
  subject = 'Old',
  date,
  more = [],
  body = 'Hello.',
}: MailText) => {
  count += 1;
  const messageId = id === undefined ? `<${count}@old.test>` : id;
  return [
    ...more,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...(date === undefined ? [] : [`Date: ${date}`]),
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    '',
    body,
    '',
  ].join('\n');
};

export const toMbox = (mails: readonly string[]): string =>
  mails.map((mail) => `From dave@old.test Thu Jan  1 10:00:00 2015\n${mail}\n`).join('');
