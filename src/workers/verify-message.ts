/** Verifies a mail in a worker thread: parses and authenticates it. */

import { type Authentication, authenticate, type DnsResolve } from '../mail/auth/authenticate-message.ts';
import { parseReport } from '../mail/dsn/parse-report.ts';
import { type ReadMessage, readMessage } from '../mail/header/message-header.ts';
import { parseMessage } from '../mail/mime/parse-message.ts';
import { bytesToVerify, type ParsedMessage, toHeaderOnly, toVerifiedMessage } from './parsed-message.ts';
import type { Input, LocalEnvelope, VerifiedMessage } from './tasks.ts';

const trustLocal = ({ fromDomain }: LocalEnvelope, hostname: string): Authentication => ({
  spf: 'pass',
  dkim: 'pass',
  dmarc: 'pass',
  arc: 'none',
  arcSealer: null,
  fromDomain,
  dmarcPolicy: null,
  aligned: true,
  header: `Authentication-Results: ${hostname}; auth=pass header.from=${fromDomain}\r\n`,
});

const parseWhole = async (message: ReadMessage, asReport: boolean): Promise<ParsedMessage> => {
  const mail = await parseMessage(message);
  return { ...mail, report: asReport ? parseReport(mail) : null };
};

export type VerifyMessage = (task: Input<'verify'>) => Promise<VerifiedMessage>;

export const createVerifyMessage =
  (resolve: DnsResolve): VerifyMessage =>
  async (task) => {
    const { hostname, envelope } = task;
    const bytes = bytesToVerify(task);
    const message = readMessage(bytes);
    const [mail, authentication] = await Promise.all([
      task.headerOnly ? toHeaderOnly(message) : parseWhole(message, task.asReport),
      envelope.kind === 'local'
        ? trustLocal(envelope, hostname)
        : authenticate(message, { ...envelope, authservId: hostname }, resolve),
    ]);
    return toVerifiedMessage(task, bytes, mail, authentication);
  };
