/** A box that takes mail on port 465 from mail programs. */

import nodemailer, { type SendMailOptions } from 'nodemailer';
import type { TestAgent, TestInstance } from '../instance.ts';

/** TOML for {@link BoxOptions}. */
export const SUBMISSION = '[submission]\nlisten = ["127.0.0.1:0"]\n';

export const submissionPort = ({ daemon }: TestInstance): number => Number(daemon.submission[0]?.split(':').at(-1));

/** Sends as a mail program would; rejects with the server's reply. */
export const submit = async (
  instance: TestInstance,
  agent: TestAgent,
  mail: SendMailOptions,
  authMethod = 'PLAIN',
): Promise<string> => {
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: submissionPort(instance),
    secure: true,
    auth: { user: agent.address, pass: agent.key },
    authMethod,
    tls: { rejectUnauthorized: false },
  });
  const { response } = await transport.sendMail({ from: agent.address, subject: 'Hello', text: 'Hi.', ...mail });
  return response;
};
